import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeApiKey } from './authenticate.ts'
import { openApi } from '../commands/api.ts'
import { readConfig } from '../config.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import { statements } from 'pg-statements/statement.ts'
import { metricValue } from '../testing/metrics.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { countStatements, type StatementCounter } from '../testing/statement-counter.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'

const intervalMs = 500

let service: TestService
let operators: Operators
let counter: StatementCounter

before(async () => {
  service = await startService({
    settings: { KEY_USE_INTERVAL_MS: String(intervalMs) },
    through: async (url) => {
      counter = await countStatements(url)
      return counter.url
    },
  })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(async () => {
  await service.close()
  counter.close()
})

const use = async (key: string): Promise<number> => (await service.request('GET', '/api/v1/carts/', { key })).status

const lastUseOf = async ({ client_id }: TestClient): Promise<string | null> =>
  (await operators.ok('GET', `/operator/v1/clients/${client_id}/keys/`))[0].last_used_at as string | null

const clock = async (): Promise<string> =>
  String((await service.sql("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as now"))[0]?.['now'])

/** Waits until the uses noted so far are written. */
const written = (): Promise<void> => sleep(3 * intervalMs)

test('lists of client keys and operator keys show the last use, and null for a key that was not used', async () => {
  const [me, other] = [await addClient(service), await addClient(service)]
  const before = await clock()
  assert.equal(await use(me.key), 200)
  const after = await clock()
  await written()
  const shown = await lastUseOf(me)
  // Without the fraction of a second.
  assert(shown !== null && shown >= before && shown <= after, `${before} ${shown} ${after}`)
  assert.equal(await lastUseOf(other), null)

  await written()
  const [viewer, , , admin] = await operators.ok('GET', '/operator/v1/operator-keys/?limit=4')
  assert.deepEqual([viewer.role, viewer.last_used_at], ['viewer', null])
  assert.equal(admin.role, 'admin')
  assert(admin.last_used_at >= before && admin.last_used_at <= (await clock()), admin.last_used_at)
})

test('recording uses costs requests no statement: all uses of an interval are one statement', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => addClient(service)))
  await written()
  counter.take()
  const started = performance.now()
  for (let round = 0; round < 10; round++) await Promise.all(many.map(({ key }) => use(key)))
  await written()
  const intervals = Math.ceil((performance.now() - started) / intervalMs)
  const statements = counter.take().filter((name) => name === 'record-client-key-uses')
  assert(statements.length >= 1 && statements.length <= intervals, `${statements.length} in ${intervals} intervals`)
  for (const me of many) assert.notEqual(await lastUseOf(me), null)
})

test('a later use that another process has written is kept, and changed_at does not change', async () => {
  const me = await addClient(service)
  const stored = async () =>
    (await service.sql('select last_used_at, changed_at from api_keys where key_id = $1', [me.key_id]))[0]
  await service.sql("update api_keys set last_used_at = '2100-01-01' where key_id = $1", [me.key_id])
  const before = await stored()
  await use(me.key)
  await written()
  assert.deepEqual(await stored(), before)
})

test('a refused request does not count as a use', async () => {
  const me = await addClient(service)
  assert.equal(await use(makeApiKey(me.key_id)), 401)
  await written()
  assert.equal(await lastUseOf(me), null)
})

test('uses that are not written yet are written when a process stops', async () => {
  const me = await addClient(service)
  const config = readConfig({ DATABASE_URL: service.databaseUrl, SHED_AFTER_MS: 'off' })
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const opened = new AsyncDisposableStack()
  const other = await openApi(db, config, makeLogger('silent'), opened)
  const { statusCode } = await other.inject({ url: '/api/v1/carts/', headers: { authorization: me.key } })
  assert.equal(statusCode, 200)
  assert.equal(await lastUseOf(me), null)
  await opened.disposeAsync()
  await db.close()
  assert.notEqual(await lastUseOf(me), null)
})

test('a use that could not be written is kept, and written later with its original time', async () => {
  const me = await addClient(service)
  const config = readConfig({
    DATABASE_URL: service.databaseUrl,
    KEY_USE_INTERVAL_MS: '100',
    STATEMENT_TIMEOUT_MS: '500',
  })
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const opened = new AsyncDisposableStack()
  const other = await openApi(db, config, makeLogger('silent'), opened)
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('select 1 from api_keys where key_id = $1 for no key update', [me.key_id])
  await other.inject({ url: '/api/v1/countries/', headers: { authorization: me.key } })
  const usedBefore = await clock()
  await sleep(2_000) // Several attempts, each of which times out waiting for the lock.
  assert.equal(await lastUseOf(me), null)
  await session.query('commit')
  await session.end()
  const deadline = performance.now() + 10_000
  while ((await lastUseOf(me)) === null && performance.now() < deadline) await sleep(50)
  const shown = await lastUseOf(me)
  assert(shown !== null && shown <= usedBefore, `${shown} ${usedBefore}`)
  await opened.disposeAsync()
  await db.close()
})

test('processes that write the same keys at once, in different orders, do not deadlock', async () => {
  const keys = (await Promise.all(Array.from({ length: 100 }, () => addClient(service)))).map(({ key_id }) => key_id)
  const record = statements.get('record-client-key-uses')
  assert(record)
  const write = (key_ids: number[]) =>
    service.db.row(record, { key_ids, ages_ms: key_ids.map(() => 0), most: key_ids.length })
  const collided = (): Promise<number> =>
    metricValue('parts_statement_duration_seconds_count', { statement: record.name, outcome: 'collided' })
  const collidedBefore = await collided()
  for (let round = 0; round < 50; round++) {
    const answers = await Promise.all([keys, keys.toReversed(), keys, keys.toReversed()].map(write))
    assert(answers.every((answer) => answer?.['keys'] === 100))
  }
  assert.equal(await collided(), collidedBefore)
})
