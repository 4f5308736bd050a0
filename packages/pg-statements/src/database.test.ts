/** What the engine guarantees. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { DatabaseTrouble, openDatabase, type Database, type StatementAttempt } from './database.ts'
import { createScratchDatabase, statementOf, type ScratchDatabase } from './testing.ts'
import {
  bool,
  bytes,
  date,
  datetime,
  instant,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  numeric,
  text,
  textArray,
} from './types.ts'

const everyType = {
  whole: int8,
  small: int4,
  money: numeric,
  words: text,
  yes: bool,
  day: date,
  raw: bytes,
  ids: int8Array,
  names: textArray,
  object: json,
  nothing: nullable(text),
}
const echo = statementOf(
  'echo',
  `select :whole::bigint as whole, :small::integer as small, :money::numeric as money, :words::text as words,
     :yes::boolean as yes, :day::date as day, :raw::bytea as raw, :ids::bigint[] as ids, :names::text[] as names,
     :object::jsonb as object, :nothing::text as nothing`,
  { parameters: everyType, columns: everyType },
)
const amounts = statementOf(
  'amounts',
  `select (n * 7919 % 1000000007)::numeric / power(10::numeric, n % 5) as amount,
     ((n * 7919 % 1000000007)::numeric / power(10::numeric, n % 5))::text as printed
   from generate_series(1, 20000) n`,
  { parameters: {}, columns: { amount: numeric, printed: text } },
)
const large = statementOf('large', 'select 9007199254740993 as large', { parameters: {}, columns: { large: int8 } })
const one = statementOf('one', 'select 1 as one', { parameters: {}, columns: { one: int4 } })
const wide = statementOf('wide', "select n, repeat('ä', n) as wide from generate_series(1, 2000) n", {
  parameters: {},
  columns: { n: int4, wide: text },
})
const divide = statementOf('divide', 'select 12 / :by::integer as quotient', {
  parameters: { by: int4 },
  columns: { quotient: int4 },
})
const zones = statementOf('zones', "select '2026-11-15 09:30:00.5+00'::timestamptz as at, now() as now", {
  parameters: {},
  columns: { at: datetime, now: instant },
})
const pid = statementOf('pid', 'select pg_backend_pid() as pid', { parameters: {}, columns: { pid: int4 } })
const session = statementOf(
  'session',
  'select application_name as process, query from pg_stat_activity where pid = pg_backend_pid()',
  { parameters: {}, columns: { process: text, query: text } },
)
const slow = statementOf('slow', 'select pg_sleep(20)::text as slept', { parameters: {}, columns: { slept: text } })
const increase = statementOf('increase', 'update counters set n = n + :by where id = :id returning n', {
  parameters: { by: int4, id: int4 },
  columns: { n: int4 },
  refusedBy: ['counter_full'],
})
const swap = statementOf(
  'swap',
  `with first as (update counters set n = n + 1 where id = :first returning pg_sleep(0.2))
   update counters c set n = c.n + 1 from first where c.id = :second returning c.n`,
  { parameters: { first: int4, second: int4 }, columns: { n: int4 } },
)

let database: ScratchDatabase
let db: Database
const attempts: StatementAttempt[] = []
const settings = { poolSize: 3, timeZone: 'Europe/Berlin', statementTimeoutMs: 60_000 }

before(async () => {
  database = await createScratchDatabase()
  await database.query(
    'create table counters (id integer primary key, n integer, constraint counter_full check (n < 1000))',
  )
  await database.query('insert into counters values (1, 0), (2, 0)')
  db = openDatabase({ ...settings, url: database.url, onStatement: (attempt) => attempts.push(attempt) })
})
after(async () => {
  await db.close()
  await database.drop()
})

test('every type comes back as it was sent, whatever characters it contains', async () => {
  for (const sent of [
    {
      whole: Number.MAX_SAFE_INTEGER,
      small: -2_147_483_648,
      money: -123_456_789_012.345,
      words: `Ünïcode 漢字 🛒 '"\\{},%_$1`,
      yes: true,
      day: '2028-02-29',
      raw: Buffer.from([0, 255, 92, 39]),
      ids: [1, 2, Number.MAX_SAFE_INTEGER],
      names: ['a', 'b_c'],
      object: { a: [1, 'ü', null] },
      nothing: 'x',
    },
    {
      whole: -1,
      small: 0,
      money: 0.0001,
      words: '',
      yes: false,
      day: '0001-01-01',
      raw: Buffer.alloc(0),
      ids: [],
      names: [],
      object: {},
      nothing: null,
    },
  ]) {
    assert.deepEqual(await db.rows(echo, sent), [sent])
  }
})

test('money of every size is the number that JavaScript reads from the same text', async () => {
  for (const { amount, printed } of await db.rows(amounts, {})) assert.equal(amount, Number(printed))
})

test("times are in the session's time zone", async () => {
  const row = await db.row(zones, {})
  assert.equal(row?.at, '2026-11-15 10:30:00')
  assert(Math.abs((row?.now ?? 0) - Date.now()) < 600_000)
})

test('a number that would lose digits fails its own statement only', async () => {
  const [lost, kept] = await Promise.allSettled([db.rows(large, {}), db.rows(one, {})])
  assert.equal(lost.status, 'rejected')
  assert.deepEqual(kept, { status: 'fulfilled', value: [{ one: 1 }] })
})

test('an answer of several megabytes arrives whole, however it is cut into pieces', async () => {
  const rows = await db.rows(wide, {})
  assert.equal(rows.length, 2000)
  for (const [i, row] of rows.entries()) assert.deepEqual(row, { n: i + 1, wide: 'ä'.repeat(i + 1) })
})

test('of statements sent together, one that fails affects no other', async () => {
  const settled = await Promise.allSettled([1, 0, 2, 0, 3].map((by) => db.rows(divide, { by })))
  assert.deepEqual(
    settled.map((each) =>
      each.status === 'fulfilled' ? each.value[0]?.quotient : (each.reason as { code: string }).code,
    ),
    [12, '22012', 6, '22012', 4],
  )
})

test('a value that is missing, or that no parameter takes, is refused before anything is sent', async () => {
  const before = attempts.length
  const surplus = { by: 1, id: 1, remark: 'lost' }
  await assert.rejects(db.rows(increase, surplus), /increase takes no parameter :remark/)
  // @ts-expect-error: the compiler refuses a missing value, too.
  await assert.rejects(db.rows(increase, { by: 1 }), /increase: no value is given for :id/)
  assert.equal(attempts.length, before)
})

test('a named constraint that refuses a statement gives no row and changes nothing', async () => {
  assert.deepEqual(await db.rows(increase, { by: 1_000, id: 1 }), [])
  assert.equal(attempts.at(-1)?.outcome, 'refused')
  assert.deepEqual((await database.query('select n from counters where id = 1')).rows, [{ n: 0 }])
})

test('a deadlock is retried until both sides have happened', async () => {
  await Promise.all([db.row(swap, { first: 1, second: 2 }), db.row(swap, { first: 2, second: 1 })])
  assert.deepEqual((await database.query('select n from counters order by id')).rows, [{ n: 2 }, { n: 2 }])
})

test('a statement that could not be prepared works once its table exists', async () => {
  const early = statementOf('early', 'select seen_at from late', {
    parameters: {},
    columns: { seen_at: datetime },
  })
  const settled = await Promise.allSettled([db.rows(early, {}), db.rows(early, {})])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await database.query("create table late as select '2026-11-15 09:30:00.5+00'::timestamptz as seen_at")
  assert.deepEqual(await db.rows(early, {}), [{ seen_at: '2026-11-15 10:30:00' }])
})

test('when a connection breaks, its statements fail as unavailable, and the next one opens another', async () => {
  const single = openDatabase({ ...settings, poolSize: 1, url: database.url })
  const first = await single.row(pid, {})
  const inFlight = Promise.allSettled([single.rows(slow, {})])
  await database.query('select pg_terminate_backend($1, 10000)', [first?.pid])
  for (const each of await inFlight) {
    assert(each.status === 'rejected' && each.reason instanceof DatabaseTrouble)
    assert.equal(each.reason.kind, 'unavailable')
  }
  const second = await single.row(pid, {})
  assert.notEqual(second?.pid, first?.pid)
  await single.close()
})

test('pg_stat_activity names the process and the statement', async () => {
  const named = openDatabase({ ...settings, url: database.url, sessionName: 'parts api 4711' })
  const { process, query } = (await named.row(session, {})) ?? assert.fail()
  assert.deepEqual([process, query], ['parts api 4711', `/* session */ ${session.text}`])
  await named.close()
})

test('a server that cannot be reached is reported as unavailable', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  assert(typeof address === 'object' && address !== null)
  listener.close()
  const nowhere = openDatabase({ ...settings, url: `postgres://nobody@127.0.0.1:${address.port}/none` })
  await assert.rejects(nowhere.rows(one, {}), { name: 'DatabaseTrouble', kind: 'unavailable' })
  await nowhere.close()
})

test('a statement that waits too long for a lock is reported as busy, and its connection is used again', async () => {
  const impatient = openDatabase({ ...settings, poolSize: 1, url: database.url, statementTimeoutMs: 3_000 })
  const before = await impatient.row(pid, {})
  await database.query('begin; update counters set n = 0 where id = 1') // On one of two connections of the pool.
  await assert.rejects(impatient.rows(increase, { by: 1, id: 1 }), { name: 'DatabaseTrouble', kind: 'busy' })
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
  )
  assert.deepEqual(await impatient.row(pid, {}), before)
  await impatient.close()
})
