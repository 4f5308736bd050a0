/** Runs the commands of docs/how-to/integrator/http.md and checks what the page says about them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeWorld } from '../../../service/src/testing/world.ts'
import { startService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('http.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].map(([, block = '']) => block)

test('the tag of a lookup gives 304, and a compressed response is the same as the plain one', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const { me } = await makeWorld(service)
  const cwd = mkdtempSync(join(tmpdir(), 'parts-http-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  const env = { PATH: process.env['PATH'], URL: `http://127.0.0.1:${service.port}`, KEY: me.key }
  const [lookup = '', large = '', ...more] = blocks
  assert.deepEqual(more, [])
  assert.equal((await run('bash', ['-euc', lookup], { env, cwd })).stdout, '304\n')
  const stocks = await service.request('GET', '/api/v1/stocks/', { key: me.key })
  assert.equal(readFileSync(join(cwd, 'stocks.json'), 'utf8'), stocks.text)
  const regions = await service.request('GET', '/api/v1/regions/', { key: me.key })
  assert.equal((await run('bash', ['-euc', large], { env, cwd })).stdout, regions.text)
})
