/** `first-key`, as its own process: it gives an admin's rights to everybody who reaches the database. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { eventually } from '../testing/process.ts'
import { holdRows } from '../testing/hold-rows.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())
beforeEach(() => database.query('update operator_keys set revoked_at = now() where revoked_at is null'))

async function firstKey(role = 'admin'): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = new URL('../main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, 'first-key', '--name=Anna Berg', `--role=${role}`], {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url, STATEMENT_TIMEOUT_MS: '60000' },
  })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: Number(code), stdout, stderr }
}

const keys = () => database.query('select count(*)::int as keys from operator_keys')

test('while an admin has a live key, no first key is issued, and the sentence says what to do', async () => {
  const first = await firstKey()
  assert.equal(first.code, 0, first.stderr)
  const { key_id } = JSON.parse(first.stdout) as { key_id: number }
  const before = await keys()
  for (const role of ['admin', 'viewer'])
    assert.deepEqual(await firstKey(role), {
      code: 1,
      stdout: '',
      stderr: `Operator key ${key_id} exists already: issue further keys with an admin's key, by parts operator-key issue without --first. If every admin's key is lost, revoke them in the database first: docs/how-to/operator/keys-and-roles.md has the statement.\n`,
    })
  assert.deepEqual(await keys(), before)
  await database.query(`update operator_keys set expires_at = now() where key_id = ${key_id}`)
  assert.equal((await firstKey()).code, 0)
})

test('of several commands at the same time, one issues a key', async () => {
  // All read that there is none, and none writes.
  const release = await holdRows(database.url, 'lock table operator_keys in share mode')
  const all = Promise.all(Array.from({ length: 4 }, () => firstKey()))
  await eventually(async () => {
    const [row] = await database.query(`select count(*)::int as waiting from pg_locks
      where not granted and relation = 'operator_keys'::regclass`)
    return row?.['waiting'] === 4
  })
  await release()
  const outcomes = await all
  assert.deepEqual(
    outcomes.map(({ code }) => code).toSorted((a, b) => a - b),
    [0, 1, 1, 1],
  )
  for (const { stderr } of outcomes.filter(({ code }) => code === 1))
    assert.match(stderr, /^Another command has issued the first key just now: issue further keys/)
})
