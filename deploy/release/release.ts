/**
 * `npm run release -- 0.2.0`: makes a release up to the point of publishing, in a clean checkout of main. Sets the version
 * wherever it is written, dates the changelog, commits, tags, and writes the source, the SBOMs and checksums to
 * `deploy/release/out/`. Nothing is pushed: the last lines say what to do by hand.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomOf } from './sbom.ts'

const version = process.argv[2] ?? ''
const root = process.cwd()
const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 })
const change = (file: string, edit: (text: string) => string): void =>
  writeFileSync(join(root, file), edit(readFileSync(join(root, file), 'utf8')))
const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('Usage: npm run release -- VERSION, for example 0.2.0.')
if (run('git', 'status', '--porcelain') !== '') refuse('The checkout has changes that are not committed.')
if (run('git', 'tag', '--list', `v${version}`) !== '') refuse(`The tag v${version} exists already.`)
const { version: old, workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  workspaces: string[]
}
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const title = [`## Unreleased\n`, `## ${version}\n`].find((line) => changelog.includes(line))
if (title === undefined) refuse(`CHANGELOG.md has neither a section Unreleased nor ${version}.`)

const today = Temporal.Now.plainDateISO('UTC').toString()
change('CHANGELOG.md', (text) => text.replace(title ?? '', `## ${version} (${today})\n`))
// package.json is the place; the others are copies that tests compare with it. Packages that need another one of ours need
// exactly its version.
const packages = ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]
const names = packages.map((file) => (JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string }).name)
const withVersion = (text: string): string =>
  names.reduce(
    (changed, name) => changed.replaceAll(`"${name}": "${old}"`, `"${name}": "${version}"`),
    text.replace(`\n  "version": "${old}"`, `\n  "version": "${version}"`),
  )
for (const file of packages) change(file, withVersion)
change('package-lock.json', (text) => {
  const lock = JSON.parse(withVersion(text)) as { packages: Record<string, { version?: string }> }
  for (const folder of ['', ...workspaces]) Object.assign(lock.packages[folder] ?? {}, { version })
  return `${JSON.stringify(lock, null, 2)}\n`
})
change('deploy/image/Dockerfile', (text) => text.replace(`ARG VERSION=${old}`, `ARG VERSION=${version}`))
change('packages/client/src/core.ts', (text) =>
  text.replace(`parts-ordering-client/${old}`, `parts-ordering-client/${version}`),
)
for (const file of [
  'deploy/compose/compose.yaml',
  'deploy/kubernetes/base/kustomization.yaml',
  'deploy/kubernetes/overlays/production/kustomization.yaml',
])
  // prettier-ignore
  change(file, (text) =>
    text
      .replaceAll(`newTag: ${old}`, `newTag: ${version}`)
      .replace(`parts-ordering:${old}`, `parts-ordering:${version}`),
  )

run('git', 'commit', '-qam', `release: ${version}`)
run('git', 'tag', '-a', `v${version}`, '-m', `Version ${version}`)

const out = join(root, 'deploy/release/out')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const name = `parts-ordering-service-${version}`
run('git', 'archive', '--format=tar.gz', `--prefix=${name}/`, '-o', join(out, `${name}.tar.gz`), `v${version}`)
writeFileSync(join(out, `${name}.cdx.json`), sbomOf(root))
const clientSbom = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--omit=dev', '-w', 'packages/client']
writeFileSync(join(out, `parts-ordering-client-${version}.cdx.json`), run('npm', ...clientSbom))
const sums = readdirSync(out)
  .toSorted()
  .map((file) => `${createHash('sha256').update(readFileSync(join(out, file))).digest('hex')}  ${file}\n`) // prettier-ignore
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
process.stdout.write(
  `Version ${version} is committed and tagged; deploy/release/out/ has the files. To publish: npm run check, npm run try:image, git push --follow-tags, and push the image.\n`,
)
