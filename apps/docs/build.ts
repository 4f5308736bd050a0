/**
 * Builds the site into `dist/`, which the service serves at `/docs/`: the pages by VitePress, each also as Markdown, the
 * script of the reference, `/llms.txt`, and the package of the TypeScript client to download.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import { build } from 'vitepress'
import { renderLlms } from './llms.ts'
import { sitePages } from './site-map.ts'
import { stage, stagePages } from './stage.ts'

const made = join(import.meta.dirname, '.site', 'dist')
const dist = join(import.meta.dirname, 'dist')
const root = join(import.meta.dirname, '../..')

stagePages()
await build(import.meta.dirname)
storeMarkdown()
writeFileSync(join(made, 'llms.txt'), renderLlms(stage))
writeFileSync(join(made, 'scalar.js'), await scalarScript())
packClient()
rmSync(dist, { recursive: true, force: true })
renameSync(made, dist) // At once: a running service looks for it.

/** For programs: the pages as they were written, with links that lead to Markdown. */
function storeMarkdown(): void {
  for (const { path } of [...sitePages, { path: 'index' }]) {
    const text = readFileSync(join(stage, `${path}.md`), 'utf8')
    if (/^layout:/m.test(text) && path !== 'index') continue // Shown by a script.
    mkdirSync(dirname(join(made, path)), { recursive: true })
    writeFileSync(join(made, `${path}.md`), asPlain(text))
  }
}

function asPlain(text: string): string {
  return text
    .replace(/^---\n[^]*?\n---\n+/, '')
    .replaceAll('pathname://', '')
    .replaceAll('](/images/', '](/docs/images/')
    .replaceAll(/\]\((?:\.\.?\/)+((?:operator-)?api)\.md/g, '](/docs/$1')
    .replaceAll(/^:::.*\n+/gm, '')
    .replaceAll(/^```(\w+) \[.*\]$/gm, '```$1')
}

/** The package exports the script only through the route that serves it. */
async function scalarScript(): Promise<Buffer> {
  await using app = Fastify()
  await app.register(scalar, { routePrefix: '/page', configuration: { url: '/openapi.json' } })
  return (await app.inject('/page/js/scalar.js')).rawPayload
}

/** What `npm install https://…/docs/client/parts-ordering-client.tgz` installs. */
function packClient(): void {
  const folder = mkdtempSync(join(tmpdir(), 'parts-client-'))
  try {
    execFileSync(process.execPath, [join(root, 'packages/client/build.ts'), join(folder, 'package')])
    execFileSync('npm', ['pack', join(folder, 'package'), '--pack-destination', folder], { stdio: 'ignore' })
    const { version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as { version: string }
    copyFileSync(join(folder, `parts-ordering-client-${version}.tgz`), join(made, 'client/parts-ordering-client.tgz'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
