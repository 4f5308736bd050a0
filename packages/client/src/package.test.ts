/** The published package: what is in it, how large it is, and that it works after npm has installed it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { addClient, addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { startService } from '../../../apps/service/src/testing/service.ts'
import { packClient, runFirstExample, type Packed } from '../testing/packed.ts'

const run = promisify(execFile)
let packed: Packed
before(async () => {
  packed = await packClient()
})
after(() => packed.remove())

const manifest = async (): Promise<Record<string, unknown>> =>
  JSON.parse(
    await readFile(join(packed.project, 'node_modules/@parts-ordering/client/package.json'), 'utf8'),
  ) as Record<string, unknown>

test('the package has at most 20 files, README, LICENSE and CHANGELOG, and no dependencies or scripts', async () => {
  assert(packed.files.length <= 20, packed.files.join(' '))
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) assert(packed.files.includes(file), file)
  const { dependencies, devDependencies, scripts, sideEffects, private: isPrivate } = await manifest()
  assert.deepEqual([dependencies, devDependencies, scripts, isPrivate], [undefined, undefined, undefined, undefined])
  assert.equal(sideEffects, false)
})

test('the bill of materials of a project that installed the package has the package and nothing else', async () => {
  const { stdout } = await run('npm', ['sbom', '--sbom-format=cyclonedx'], { cwd: packed.project })
  const { version } = await manifest()
  const { components, dependencies } = JSON.parse(stdout) as {
    components: { 'bom-ref': string; licenses: unknown }[]
    dependencies: unknown[]
  }
  const ref = `@parts-ordering/client@${String(version)}`
  assert.deepEqual(
    components.map((component) => [component['bom-ref'], component.licenses]),
    [[ref, [{ license: { id: 'Apache-2.0' } }]]],
  )
  assert.deepEqual(dependencies, [
    { ref: 'empty-project@1.0.0', dependsOn: [ref] },
    { ref, dependsOn: [] },
  ])
})

/** Minified and gzipped, as a bundler ships it. */
async function sizeOf(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: packed.project },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

test("the dealer's client has at most 5 KB, and webhooks add at most 1 KB", async (t) => {
  const dealer = await sizeOf(`export * from '@parts-ordering/client'`)
  const both = await sizeOf(
    `export * from '@parts-ordering/client'; export { verifyWebhook } from '@parts-ordering/client/webhooks'`,
  )
  t.diagnostic(`${dealer} bytes, webhooks ${both - dealer} more`)
  assert(dealer <= 5_000, `${dealer} bytes`)
  assert(both - dealer <= 1_000, `${both - dealer} bytes`)
})

test('publint finds nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: join(packed.project, 'node_modules/@parts-ordering/client') })
  assert.deepEqual(
    messages.filter(({ type }) => type !== 'suggestion').map((message) => formatMessage(message, pkg)),
    [],
  )
})

test('arethetypeswrong finds nothing: types and code are found in every way that imports ES modules', async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(packed.tarball))))
  assert(result.types)
  // The package has ES modules only, and subpaths by `exports`, which Node 10 did not know.
  const isExpected = (problem: { kind: string; resolutionKind?: string }): boolean =>
    problem.kind === 'CJSResolvesToESM' || problem.resolutionKind === 'node10'
  assert.deepEqual(
    result.problems.filter((problem) => !isExpected(problem)),
    [],
  )
})

for (const [resolution, module] of [
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
] as const) {
  test(`a strict program compiles against the installed package with moduleResolution ${resolution}`, async () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', '']
    const resolved = ['--module', module, '--moduleResolution', resolution, '--lib', 'es2023,dom,dom.asynciterable']
    await run(process.execPath, [tsc, ...options, ...resolved, 'program.ts'], { cwd: packed.project })
  })
}

test("the README's first example places an order with the installed package", async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const { key } = await addClient(service)
  const url = `http://127.0.0.1:${service.port}`
  const [total, order] = (await runFirstExample(packed, { program: process.execPath, url, key })).trim().split('\n')
  assert.equal(total, '20 EUR')
  assert.match(order ?? '', /^Order \d+$/)
})
