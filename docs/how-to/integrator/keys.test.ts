/** Runs the commands of docs/how-to/integrator/keys.md and checks what the page says about them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { issueClientKey } from '../../../service/src/access/issue-client-key.ts'
import { makeWorld } from '../../../service/src/testing/world.ts'
import { startService } from '../../../service/src/testing/service.ts'
import { addFixtures, byTheTests } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('keys.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))

test('a client lists its keys and revokes one of them by its id', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const { me } = await makeWorld(service)
  const other = await issueClientKey(service.db, { ...me, ...byTheTests })
  const [list = '', revoke = '', ...more] = commands
  assert.deepEqual(more, [])
  const OTHER_KEY = /^pos_(\d+)_/.exec(other.key)?.[1]
  const env = { PATH: process.env['PATH'], URL: `http://127.0.0.1:${service.port}`, KEY: me.key, OTHER_KEY }
  const dataOf = async (command: string) => JSON.parse((await run('bash', ['-euc', command], { env })).stdout).data
  const keys = (await dataOf(list)) as { key_id: number; current: boolean }[]
  assert.deepEqual(
    keys.map(({ key_id, current }) => ({ key_id, current })),
    [
      { key_id: me.key_id, current: true },
      { key_id: other.key_id, current: false },
    ],
  )
  const revoked = await dataOf(revoke)
  assert.equal(revoked.key_id, other.key_id)
  assert.notEqual(revoked.revoked_at, null)
})
