/** The installed package on every version of Node that it supports. Installs the ones that are missing from npm. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { addClient, addFixtures, type TestClient } from '../../service/src/testing/fixtures.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { packClient, runFirstExample, type Packed } from '../testing/packed.ts'

const run = promisify(execFile)
let service: TestService
let me: TestClient
let packed: Packed

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  packed = await packClient()
})
after(async () => {
  await packed.remove()
  await service.close()
})

for (const version of ['20.3.0', '20.20.2', '22.23.3', process.versions.node]) {
  test(`the first example places an order on Node ${version}`, async () => {
    const node = await nodeOf(version)
    assert.equal((await run(node, ['--version'])).stdout.trim(), `v${version}`)
    const printed = await runFirstExample(packed, { node, url: `http://127.0.0.1:${service.port}`, key: me.key })
    assert.match(printed, /^20 EUR\nOrder \d+\n$/)
  })
}

/** In the cache of `.ci/run`. */
async function nodeOf(version: string): Promise<string> {
  if (version === process.versions.node) return process.execPath
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(cache, 'parts-ordering-ci', `node-${version}`)
  const name = `node-${process.platform}-${process.arch}`
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(node))
    await run('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`])
  return node
}
