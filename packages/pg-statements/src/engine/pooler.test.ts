/** Why a pooler in transaction mode is refused, whatever its version. The server has one session, which all clients share. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openDatabase, UnusableDatabase } from '../database.ts'
import { createCluster, type Cluster } from '../testing-cluster.ts'
import { keepsStatements, startPooler, withoutPooler } from '../testing-pooler.ts'
import { statementOf } from '../testing.ts'
import { int4 } from '../types.ts'
import { cancelWaiting } from './cancel-waiting.ts'

const increase = statementOf('pooler-increase', 'update counters set n = n + 1 returning n', {
  parameters: {},
  columns: { n: int4 },
})
const skip = { skip: withoutPooler }

let cluster: Cluster
let pooler: Awaited<ReturnType<typeof startPooler>> // In transaction mode.
let one: pg.Client
let other: pg.Client
let direct: pg.Client

before(async () => {
  if (withoutPooler !== false) return
  cluster = await createCluster()
  await cluster.query('create table counters as select 0 as n')
  pooler = await startPooler(cluster, 'transaction')
  ;[one, other, direct] = await Promise.all([connect(pooler.url), connect(pooler.url), connect(cluster.url)])
})
after(async () => {
  if (withoutPooler !== false) return
  await Promise.all([one.end(), other.end(), direct.end()])
  await pooler.stop()
  await cluster.drop()
})

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const value = async (client: pg.Client, sql: string): Promise<unknown> =>
  Object.values((await client.query(sql)).rows[0] as object)[0]

test('a pooler in transaction mode is refused with a sentence; in session mode it works', skip, async (t) => {
  const sessions = await startPooler(cluster, 'session', 10)
  t.after(sessions.stop)
  const open = (url: string) => openDatabase({ url, poolSize: 6, timeZone: 'UTC', statementTimeoutMs: 10_000 })
  const [good, bad] = [open(sessions.url), open(pooler.url)]
  t.after(() => Promise.all([good.close(), bad.close()]))
  assert.equal((await good.row(increase, {}))?.n, 1)
  await assert.rejects(bad.checkWritable(), (error) => {
    assert(error instanceof UnusableDatabase)
    assert.match(
      error.message,
      /^The database URL leads to a connection pooler in transaction mode.*pool_mode = session/,
    )
    return true
  })
})

test('in transaction mode the settings of one client become those of another', skip, async () => {
  await one.query(`set lock_timeout = '7s'; set plan_cache_mode = force_generic_plan`)
  assert.equal(await value(other, 'show lock_timeout'), '7s')
  assert.equal(await value(other, 'show plan_cache_mode'), 'force_generic_plan')
  await other.query('reset all')
  assert.equal(await value(one, 'show lock_timeout'), '0')
})

test(
  "in transaction mode, ending what a client's process waits for ends the statement of another one",
  skip,
  async () => {
    const pid = Number(await value(one, 'select pg_backend_pid()'))
    await direct.query('begin; update counters set n = 0')
    const waiting = assert.rejects(other.query('update counters set n = 0'), { code: '57014' })
    const values = [pid, new Date().toISOString()]
    while ((await direct.query(cancelWaiting.text, values)).rows.length === 0);
    await waiting
    await direct.query('rollback')
  },
)

test('in transaction mode a notification reaches another client than the one that listens', skip, async () => {
  const heard: string[] = []
  one.on('notification', () => heard.push('the one that listens'))
  other.on('notification', () => heard.push('another one'))
  await one.query('listen changes')
  await other.query('notify changes')
  await one.query('select 1')
  assert.deepEqual(heard, ['another one'])
})

test(
  'in transaction mode all clients get the same lock of a session, and it outlives the one that took it',
  skip,
  async () => {
    const third = await connect(pooler.url)
    assert.equal(await value(third, 'select pg_try_advisory_lock(1)'), true)
    assert.equal(await value(other, 'select pg_try_advisory_lock(1)'), true)
    await third.end()
    assert.equal(await value(direct, 'select pg_try_advisory_lock(1)'), false)
  },
)

test('prepared statements are kept by PgBouncer 1.21 and newer only: they are not the reason', skip, async () => {
  await one.query({ name: 'same', text: 'select 1 as n' })
  const prepared = other.query({ name: 'same', text: 'select 2 as n' })
  if (keepsStatements()) assert.deepEqual((await prepared).rows, [{ n: 2 }])
  else await assert.rejects(prepared, { code: '42P05' })
})
