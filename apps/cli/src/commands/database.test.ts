/** The commands that the service's program carries out: its failures, and signals. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmptyDatabase } from '../../../service/src/testing/database.ts'
import { runParts } from '../testing.ts'

test('SIGTERM, SIGINT and SIGHUP end the migration, and then the program in the same way', async () => {
  const database = await createEmptyDatabase()
  const migrations = () => database.query(`select pid from pg_stat_activity where application_name = 'parts migrate' and datname = current_database()`) // prettier-ignore
  const until = async (isReached: () => Promise<boolean>): Promise<void> => {
    while (!(await isReached())) await sleep(20)
  }
  await database.query(`select pg_advisory_lock(7241865325823964)`) // It waits for its turn.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const env = { PATH: process.env['PATH'], DATABASE_URL: database.url }
    const parts = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), 'migrate'], { env })
    const ended = once(parts, 'exit')
    await until(async () => (await migrations()).length === 1)
    parts.kill(signal)
    assert.deepEqual(await ended, [null, signal])
    await until(async () => (await migrations()).length === 0)
    assert.doesNotMatch(await text(parts.stderr), /./)
  }
  await database.drop()
})

test('a wrong setting ends with exit code 2, also after a warning of Node', async () => {
  const NODE_OPTIONS = "--import=data:text/javascript,process.emitWarning('old')"
  const ran = await runParts(['migrate'], { NODE_OPTIONS })
  assert.equal(ran.code, 2)
  assert.match(ran.stderr, /^parts: Invalid settings:\n {2}DATABASE_URL must be set\.\n$/m)
})

test('an error of the database that nobody expects is a sentence with advice, without a stack', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const body = Buffer.from('SFATAL\0VFATAL\0CXX000\0Mthe server is on fire\0\0')
      const head = Buffer.from([69, 0, 0, 0, body.length + 4])
      socket.end(Buffer.concat([head, body]))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const DATABASE_URL = `postgres://parts@127.0.0.1:${(server.address() as AddressInfo).port}/parts`
  try {
    assert.deepEqual(await runParts(['migrate'], { DATABASE_URL }), {
      code: 3,
      stdout: '',
      stderr:
        'parts: Cannot use the database: the server is on fire\nCheck that DATABASE_URL is correct, PostgreSQL is running, and `parts migrate` has been run.\n',
    })
  } finally {
    server.close()
  }
})

test(
  'the commands of the database do not read the key, and mistakes come before its',
  { timeout: 20_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'parts-key-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const PARTS_KEY_FILE = join(folder, 'key')
    execFileSync('mkfifo', [PARTS_KEY_FILE]) // Opening it waits for ever.
    const nowhere = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none', PARTS_KEY_FILE }
    assert.match(
      (await runParts(['migrate'], nowhere)).stderr,
      /^parts: PostgreSQL at 127\.0\.0\.1:1 cannot be reached/,
    )
    const settings = { PARTS_KEYFILE: 'misspelt' }
    const mistake = await runParts(['count', 'x', '1', '1', '--reason', 'Lost.'], settings)
    assert.deepEqual([mistake.code, mistake.stderr], [2, "parts: A stock id must be a positive integer, not 'x'.\n"])
    const misspelt = await runParts(['count', '1', '1', '1', '--reason', 'Lost.'], settings)
    assert.match(misspelt.stderr, /^parts: PARTS_KEYFILE is not a setting/)
  },
)
