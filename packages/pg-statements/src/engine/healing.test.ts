/** What happens to connections: each fault of a server or a session, and what a caller sees of it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DatabaseTrouble, openDatabase, type Database, type DatabaseSettings } from '../database.ts'
import { openProxy } from '../testing-proxy.ts'
import { createScratchDatabase, statementOf, type ScratchDatabase } from '../testing.ts'
import { int4, text } from '../types.ts'

const read = statementOf('heal-read', 'select n from counters where id = :id', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const write = statementOf('heal-write', 'update counters set n = n + 1 where id = :id returning n', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const plain = { parameters: {}, columns: {} }
const forgetAll = statementOf('heal-deallocate', 'deallocate all', plain)
const forgetAllWriting = statementOf('heal-deallocate-writing', 'deallocate all /* update */', plain)
const beReadOnly = statementOf('heal-read-only', 'set default_transaction_read_only = on /* update */', plain)
const endSession = statementOf('heal-end', 'select pg_terminate_backend(pg_backend_pid())::text as ended', {
  parameters: {},
  columns: { ended: text },
})
const setting = statementOf('heal-setting', 'select current_setting(:name) as value', {
  parameters: { name: text },
  columns: { value: text },
})

let database: ScratchDatabase
const opened: Database[] = []
const settings = { poolSize: 6, timeZone: 'Europe/Berlin', statementTimeoutMs: 60_000 }

function open(more: Partial<DatabaseSettings> = {}): Database {
  const db = openDatabase({ ...settings, url: database.url, ...more })
  opened.push(db)
  return db
}

before(async () => {
  database = await createScratchDatabase()
  await database.query('create table counters (id integer primary key, n integer)')
  await database.query('insert into counters select id, 0 from generate_series(1, 100) id')
})
after(async () => {
  for (const db of opened) await db.close()
  await database.drop()
})

const many = <T>(count: number, of: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => of(i)))

const sessionsOf = async (): Promise<number[]> =>
  (
    await database.query(
      `select pid from pg_stat_activity where application_name = 'parts' and datname = current_database()`,
    )
  ).rows.map(({ pid }: { pid: number }) => pid)

describe('a session that has forgotten its statements', () => {
  test('prepares them again, and no caller notices', async () => {
    const db = open()
    await many(20, (i) => db.row(read, { id: i + 1 }))
    await many(20, (i) => db.row(write, { id: i + 1 }))
    await many(20, async (i) => {
      await db.rows(i % 2 === 0 ? forgetAll : forgetAllWriting, {})
      assert.deepEqual(await db.row(read, { id: 100 }), { n: 0 })
      assert.equal(typeof (await db.row(write, { id: i + 1 }))?.n, 'number')
    })
  })

  test('prepares them again when the type of a column has changed', async () => {
    const db = open()
    await database.query('create table changing (id integer primary key, n smallint)')
    await database.query('insert into changing values (1, 7)')
    const statement = statementOf('heal-changing', 'select n from changing', { parameters: {}, columns: { n: int4 } })
    await many(20, () => db.row(statement, {}))
    for (const type of ['integer', 'bigint', 'integer']) {
      await database.query(`alter table changing alter column n type ${type}`)
      assert.deepEqual(
        await many(20, () => db.row(statement, {})),
        Array.from({ length: 20 }, () => ({ n: 7 })),
      )
    }
  })

  test('a statement that cannot be prepared fails with its own error, also those sent with it', async () => {
    const db = open()
    const missing = statementOf('heal-missing', 'select n from missing', { parameters: {}, columns: { n: int4 } })
    const [other, ...failed] = await Promise.allSettled([
      db.row(read, { id: 1 }),
      ...Array.from({ length: 20 }, () => db.row(missing, {})),
    ])
    assert.equal(other.status, 'fulfilled')
    for (const each of failed)
      assert.equal(each.status === 'rejected' && (each.reason as { code: string }).code, '42P01')
  })
})

test('a session that has become read-only is replaced, and the change happens on another', async () => {
  const reasons: string[] = []
  const db = open({ poolSize: 2, onReplaced: (reason) => reasons.push(reason) }) // One connection for changes.
  await db.row(write, { id: 1 })
  await db.rows(beReadOnly, {})
  const [first, second] = [await db.row(write, { id: 1 }), await db.row(write, { id: 1 })]
  assert.equal(second?.n, (first?.n ?? 0) + 1)
  await db.checkWritable()
  await db.rows(beReadOnly, {})
  await assert.rejects(db.checkWritable(), { name: 'DatabaseTrouble', kind: 'unavailable' })
  await db.checkWritable()
  while (reasons.length < 2) await new Promise((resolve) => setTimeout(resolve, 20)) // Reported once it is closed.
  assert.deepEqual([...new Set(reasons)], ['read-only'])
})

test('a server that accepts no changes refuses changes as unavailable and is still read from', async () => {
  await database.query(
    `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`,
  )
  const db = open()
  await assert.rejects(db.row(write, { id: 1 }), { name: 'DatabaseTrouble', kind: 'unavailable' })
  assert.equal(typeof (await db.row(read, { id: 1 }))?.n, 'number')
  await database.query(
    `set default_transaction_read_only = off; alter database ${new URL(database.url).pathname.slice(1)} reset default_transaction_read_only`,
  )
  assert.equal(typeof (await db.row(write, { id: 1 }))?.n, 'number')
})

test('when a session ends in the middle of a pipeline, the reads behind are sent again', async () => {
  const db = open({ poolSize: 1 })
  await db.row(read, { id: 1 })
  const [end, ...behind] = await Promise.allSettled([
    db.row(endSession, {}),
    ...Array.from({ length: 20 }, () => db.row(read, { id: 100 })),
  ])
  assert(end.status === 'rejected' && end.reason instanceof DatabaseTrouble && end.reason.kind === 'unavailable')
  for (const each of behind) assert.deepEqual(each, { status: 'fulfilled', value: { n: 0 } })
})

test('with one connection lost and none to be had, the others serve everything', async () => {
  const proxy = await openProxy(database.url)
  const db = open({ url: proxy.url })
  await many(100, (i) => db.row(write, { id: i + 1 }))
  await many(100, (i) => db.row(read, { id: i + 1 }))
  const before = (await sessionsOf()).length
  proxy.refusing = true
  const [victim] = (
    await database.query(
      `select pg_terminate_backend(pid, 10000), pid from pg_stat_activity
       where application_name = 'parts' and datname = current_database() and query like '% update%' limit 1`,
    )
  ).rows
  assert(victim !== undefined)
  const settled = await Promise.allSettled(
    Array.from({ length: 400 }, (_, i) => db.row(i % 2 === 0 ? write : read, { id: (i % 100) + 1 })),
  )
  assert.deepEqual(
    settled.filter(({ status }) => status === 'rejected'),
    [],
  )
  assert((await sessionsOf()).length < before)
  await db.close()
  await proxy.close()
})

test('after all connections are lost, the next statement of each kind succeeds', async () => {
  const proxy = await openProxy(database.url)
  const db = open({ url: proxy.url })
  for (let round = 0; round < 10; round++) {
    await Promise.all([db.row(write, { id: 1 }), db.row(read, { id: 1 })])
    proxy.cut()
    await new Promise((resolve) => setTimeout(resolve, 20)) // The close reaches us.
  }
  await Promise.all([db.row(write, { id: 1 }), db.row(read, { id: 1 })])
  await db.close()
  await proxy.close()
})

test('a connection that is silent for longer than a statement may take is given up', async () => {
  const proxy = await openProxy(database.url)
  const reasons: string[] = []
  const db = open({ url: proxy.url, statementTimeoutMs: 3_000, onReplaced: (reason) => reasons.push(reason) })
  await Promise.all([db.row(write, { id: 1 }), db.row(read, { id: 1 })])
  proxy.freeze(true)
  const trouble = { name: 'DatabaseTrouble' }
  await Promise.all([
    assert.rejects(db.row(write, { id: 1 }), trouble),
    assert.rejects(db.row(read, { id: 1 }), trouble),
  ])
  while (reasons.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(reasons, ['silent', 'silent'])
  proxy.freeze(false)
  await Promise.all([db.row(write, { id: 1 }), db.row(read, { id: 1 })])
  await db.close()
  await proxy.close()
})

test('connections are replaced at their maximum age, and no caller notices', async () => {
  const reasons: string[] = []
  const db = open({ connectionAgeMaxMs: 500, onReplaced: (reason) => reasons.push(reason) })
  while (reasons.filter((reason) => reason === 'age').length < 6)
    await Promise.all([db.row(write, { id: 1 }), db.row(read, { id: 1 })])
  assert.deepEqual([...new Set(reasons)], ['age'])
})

test('the session has the settings of the service, whatever the role and the URL say', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=elsewhere')
  const name = url.pathname.slice(1)
  for (const wrong of ["timezone = 'Asia/Tokyo'", 'statement_timeout = 2000', "datestyle = 'German'", 'jit = on'])
    await database.query(`alter database ${name} set ${wrong}`)
  const db = open({ url: url.href, statementTimeoutMs: 5_000 })
  const names = [
    'TimeZone',
    'statement_timeout',
    'lock_timeout',
    'DateStyle',
    'jit',
    'plan_cache_mode',
    'random_page_cost',
    'search_path',
  ]
  const values = await Promise.all(names.map(async (name) => (await db.row(setting, { name }))?.value))
  assert.deepEqual(values, ['Europe/Berlin', '5s', '3s', 'ISO, DMY', 'off', 'force_generic_plan', '1.1', 'elsewhere'])
  for (const wrong of ['timezone', 'statement_timeout', 'datestyle', 'jit'])
    await database.query(`alter database ${name} reset ${wrong}`)
})

test('a URL that would replace these settings is refused with a sentence', () => {
  for (const [name, value] of [
    ['options', '-c statement_timeout=0'],
    ['options', '-csearch_path=a --TimeZone=UTC'],
    ['statement_timeout', '0'],
    ['lock_timeout', '0'],
  ] as const) {
    const url = new URL(database.url)
    url.searchParams.set(name, value)
    assert.throws(() => openDatabase({ ...settings, url: url.href }), {
      name: 'UnusableDatabase',
      message: /^The database URL must not set (statement_timeout|timezone|lock_timeout): .* Remove it from the URL\.$/,
    })
  }
})
