import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openDatabase, type Database } from './database.ts'
import { statement, type Shape, type Statement } from './statement.ts'
import { bool, bytes, date, datetime, int4, int8, int8Array, nullable, numeric, text, textArray } from './types.ts'
import { createTestDatabase, type TestDatabase } from '../../service/src/testing/database.ts'

let database: TestDatabase
let db: Database
const folder = mkdtempSync(join(tmpdir(), 'wire-'))

before(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 5_000 })
})
after(async () => {
  await db.close()
  await database.drop()
})

function sql<P extends Shape, C extends Shape>(
  name: string,
  content: string,
  shape: { parameters: P; columns: C; shared?: Shape },
): Statement<P, C> {
  writeFileSync(join(folder, `${name}.sql`), content)
  return statement(pathToFileURL(join(folder, `${name}.sql`)), shape)
}

test('every type comes back as it was sent, with whatever PostgreSQL would take for syntax', async () => {
  const columns = {
    whole: int8, small: int4, money: numeric, words: text, yes: bool, day: date, raw: bytes, ids: int8Array, names: textArray, nothing: nullable(text),
  } // prettier-ignore
  const echo = sql(
    'wire-echo',
    `select :whole::bigint as whole, :small::integer as small, :money::numeric as money, :words::text as words, :yes::boolean as yes,
       :day::date as day, :raw::bytea as raw, :ids::bigint[] as ids, :names::text[] as names, :nothing::text as nothing`,
    { parameters: columns, columns },
  )
  for (const sent of [
    {
      whole: Number.MAX_SAFE_INTEGER, small: -2_147_483_648, money: -123_456_789_012.345, words: `Ünïcode 漢字 🛒 '"\\{},%_$1`, yes: true,
      day: '2028-02-29', raw: Buffer.from([0, 255, 92, 39]), ids: [1, 2, Number.MAX_SAFE_INTEGER], names: ['a', 'b_c'], nothing: 'x',
    }, // prettier-ignore
    {
      whole: -1, small: 0, money: 0.0001, words: '', yes: false, day: '0001-01-01', raw: Buffer.alloc(0), ids: [], names: [], nothing: null,
    }, // prettier-ignore
  ]) {
    assert.deepEqual(await db.rows(echo, sent), [sent])
  }
})

test('money of every size is the number that JavaScript reads from the same text', async () => {
  const amounts = sql(
    'wire-amounts',
    `select (n * 7919 % 1000000007)::numeric / power(10::numeric, n % 5) as amount, ((n * 7919 % 1000000007)::numeric / power(10::numeric, n % 5))::text as printed
     from generate_series(1, 20000) n`,
    { parameters: {}, columns: { amount: numeric, printed: text } },
  )
  for (const { amount, printed } of await db.rows(amounts, {})) assert.equal(amount, Number(printed))
})

test('a number that would lose digits is an error of its own statement only', async () => {
  const large = sql('wire-large', 'select 9007199254740993 as large', { parameters: {}, columns: { large: int8 } })
  const one = sql('wire-one', 'select 1 as one', { parameters: {}, columns: { one: int4 } })
  const [lost, kept] = await Promise.allSettled([db.rows(large, {}), db.rows(one, {})])
  assert.equal(lost.status, 'rejected')
  assert.deepEqual(kept, { status: 'fulfilled', value: [{ one: 1 }] })
})

test('an answer of several megabytes arrives whole, however it is cut into pieces', async () => {
  const wide = sql('wire-wide', "select n, repeat('ä', n) as wide from generate_series(1, 2000) n", {
    parameters: {},
    columns: { n: int4, wide: text },
  })
  const rows = await db.rows(wide, {})
  assert.equal(rows.length, 2000)
  for (const [i, row] of rows.entries()) assert.deepEqual(row, { n: i + 1, wide: 'ä'.repeat(i + 1) })
})

test('shared columns are those of their own group, null or not', async () => {
  const shared = { id: int8, name: nullable(text) }
  const grouped = sql(
    'wire-grouped',
    "select * from (values (1, 'a', 10), (1, 'a', 11), (2, null, 20), (2, null, 21), (1, 'b', 30)) v (id, name, entry)",
    { parameters: {}, columns: { ...shared, entry: nullable(int4) }, shared },
  )
  assert.deepEqual(await db.rows(grouped, {}), [
    { id: 1, name: 'a', entry: 10 },
    { id: 1, name: 'a', entry: 11 },
    { id: 2, name: null, entry: 20 },
    { id: 2, name: null, entry: 21 },
    { id: 1, name: 'b', entry: 30 },
  ])
})

test('of statements sent together, one that fails touches no neighbour', async () => {
  const divide = sql('wire-divide', 'select 12 / :by::integer as quotient', {
    parameters: { by: int4 },
    columns: { quotient: int4 },
  })
  const settled = await Promise.allSettled([1, 0, 2, 0, 3].map((by) => db.rows(divide, { by })))
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value[0]?.quotient : (one.reason as { code: string }).code)),
    [12, '22012', 6, '22012', 4],
  )
})

test('a statement that could not be prepared can be once its table is there', async () => {
  const early = sql('wire-early', 'select seen_at from wire_late', { parameters: {}, columns: { seen_at: datetime } })
  const settled = await Promise.allSettled([db.rows(early, {}), db.rows(early, {})])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await database.query("create table wire_late as select '2026-11-15 09:30:00.5+00'::timestamptz as seen_at", [])
  assert.deepEqual(await db.rows(early, {}), [{ seen_at: '2026-11-15 09:30:00' }])
})

test('when the connection breaks, all that is under way on it fails at once, and the next statement opens another', async () => {
  const slow = sql('wire-slow', 'select pg_sleep(3)::text as slept, pg_backend_pid() as pid', {
    parameters: {},
    columns: { slept: text, pid: int4 },
  })
  const pid = sql('wire-pid', 'select pg_backend_pid() as pid', { parameters: {}, columns: { pid: int4 } })
  const [{ pid: first } = { pid: 0 }] = await db.rows(pid, {})
  const underWay = Promise.allSettled([db.rows(slow, {}), db.rows(slow, {}), db.rows(pid, {})])
  await database.query('select pg_terminate_backend($1), pg_sleep(0.1)', [first])
  for (const one of await underWay) {
    assert.equal(one.status, 'rejected')
    assert.deepEqual((one.reason as { errors: { code: string }[] }).errors[0]?.code, 'database_unavailable')
  }
  const [{ pid: second } = { pid: 0 }] = await db.rows(pid, {})
  assert.notEqual(second, first)
})
