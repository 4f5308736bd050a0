/** The program as a tarball, installed in an empty folder without a network. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeOperators } from '../../service/src/testing/operators.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { runParts } from './testing.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
let folder: string
let service: TestService

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parts-installed-'))
  service = await startService()
})
after(async () => {
  rmSync(folder, { recursive: true })
  await service.close()
})

test('the packed program runs in an empty folder, without the repository and without other packages', async () => {
  const { keys } = await makeOperators(service)
  const { stdout } = await run(
    'npm',
    ['pack', '--workspace', 'apps/cli', '--ignore-scripts=false', '--json', '--pack-destination', folder],
    {
      cwd: root,
    },
  )
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string; files: { path: string }[] }[]
  assert(packed)
  const paths = packed.files.map(({ path }) => path)
  assert(paths.includes('dist/cli/main.js'))
  assert.deepEqual(
    paths.filter((path) => /\.ts$|test/.test(path)),
    [],
  )
  assert.equal(existsSync(join(root, 'apps/cli/dist')), false)

  const empty = join(folder, 'empty')
  mkdirSync(empty)
  writeFileSync(join(empty, 'package.json'), '{}')
  const npm = (...args: string[]) =>
    run('npm', [...args, '--offline', '--cache', join(folder, 'cache')], { cwd: empty, env: environment(keys.viewer) })
  await npm('install', '--no-audit', '--no-fund', join(folder, packed.filename))
  const program = join(empty, 'node_modules', '.bin', 'parts')
  const parts = (...args: string[]) => run(program, args, { cwd: empty, env: environment(keys.viewer) })
  assert.equal((await parts('--help')).stdout, (await runParts(['--help'])).stdout)
  assert.equal((await parts('orders')).stderr, 'No orders found.\n')
  const counts = await parts('counts', '--json')
  assert.deepEqual(JSON.parse(counts.stdout), await countsOf(keys.viewer))
  for (const command of ['migrate', 'after-restore'])
    await assert.rejects(parts(command), /the service is not installed here/)
})

const environment = (key: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  PARTS_URL: `http://127.0.0.1:${service.port}`,
  PARTS_KEY: key,
})

const countsOf = async (key: string): Promise<unknown> =>
  (await service.request('GET', '/operator/v1/counts/', { key })).body.data
