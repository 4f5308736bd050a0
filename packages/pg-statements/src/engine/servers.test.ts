/** Servers that a test must stop, promote or configure: each has a PostgreSQL of its own. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '../database.ts'
import { createCluster, withoutPrograms, type Cluster } from '../testing-cluster.ts'
import { statementOf } from '../testing.ts'
import { int4 } from '../types.ts'
import { writableUrl } from '../writable-url.ts'

const increase = statementOf('servers-increase', 'update counters set n = n + 1 returning n', {
  parameters: {},
  columns: { n: int4 },
})
const read = statementOf('servers-read', 'select n, inet_server_port() as port from counters', {
  parameters: {},
  columns: { n: int4, port: int4 },
})
const skip = withoutPrograms
const settings = { poolSize: 6, timeZone: 'UTC', statementTimeoutMs: 10_000 }

let one: Cluster
let two: Cluster

before(async () => {
  if (skip !== false) return
  ;[one, two] = await Promise.all([createCluster(), createCluster()])
  for (const cluster of [one, two]) await cluster.query('create table counters as select 0 as n')
})
after(async () => {
  if (skip !== false) return
  await Promise.all([one.drop(), two.drop()])
})

const bothHosts = (): string => `postgres://postgres@127.0.0.1:${one.port},127.0.0.1:${two.port}/postgres`

/** Repeats a statement until it succeeds; a server that is back must be in use within a second. */
async function succeeds(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch {
      await sleep(20)
    }
  }
}

async function withDatabase(url: string, work: (db: Database) => Promise<void>): Promise<void> {
  const db = openDatabase({ ...settings, url })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

test('of several hosts, the one that accepts changes is used, and reads follow it', { skip }, async () => {
  await withDatabase(`${bothHosts()}?target_session_attrs=read-write`, async (db) => {
    assert.equal((await db.row(increase, {}))?.n, 1)
    assert.equal((await db.row(read, {}))?.port, one.port)
    await one.set({ default_transaction_read_only: 'on' }) // As after a switch-over, with its connections left open.
    await db.checkWritable().catch(() => undefined)
    assert.equal((await db.row(increase, {}))?.n, 1)
    assert.equal((await db.row(read, {}))?.port, two.port)
    await one.set({})
    await two.stop()
    await succeeds(() => db.row(increase, {}))
    assert.equal((await db.row(read, {}))?.port, one.port)
    await two.start()
  })
})

test('programs that take one host get the one that accepts changes', { skip }, async () => {
  await one.set({ default_transaction_read_only: 'on' })
  assert.equal(await writableUrl(bothHosts()), two.url)
  assert.equal(await writableUrl(one.url), one.url) // There is no other.
  await one.set({})
  assert.equal(await writableUrl(bothHosts()), one.url)
})

test('a server that was stopped and is started again is used again', { skip }, async () => {
  await withDatabase(one.url, async (db) => {
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await Promise.all([db.row(increase, {}), db.row(read, {})])
      await one.stop(signal)
      await assert.rejects(db.row(increase, {}), { name: 'DatabaseTrouble', kind: 'unavailable' })
      await assert.rejects(db.row(read, {}), { name: 'DatabaseTrouble', kind: 'unavailable' })
      await one.start()
      await succeeds(() => db.row(increase, {}))
      await succeeds(() => db.row(read, {}))
    }
  })
})

test('a commit that a synchronous standby has not confirmed is unavailable, not done', { skip }, async (t) => {
  t.after(() => one.set({}))
  await withDatabase(one.url, async (db) => {
    await db.row(increase, {})
    await one.set({ synchronous_standby_names: 'nobody' })
    const untilRefused = async (): Promise<void> => {
      for (;;) await db.row(increase, {}) // The setting takes effect a moment later.
    }
    const refused = assert.rejects(untilRefused(), { name: 'DatabaseTrouble', kind: 'unavailable' })
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
    while ((await one.query(cancel)).rows.length === 0) await sleep(10)
    await refused
    await one.set({})
    await succeeds(() => db.row(increase, {}))
  })
})

test('while a synchronous standby is gone, sessions left behind do not pile up', { skip }, async (t) => {
  t.after(() => one.set({}))
  const db = openDatabase({ ...settings, poolSize: 3, url: one.url, statementTimeoutMs: 100 })
  await succeeds(() => db.row(increase, {}))
  await one.set({ synchronous_standby_names: 'nobody' })
  const sessions = async (): Promise<number> =>
    (await one.query(`select pid from pg_stat_activity where application_name = 'parts'`)).rows.length
  let most = 0
  for (const end = performance.now() + 3_000; performance.now() < end;) {
    await db.row(increase, {}).catch(() => undefined)
    await sleep(20)
    most = Math.max(most, await sessions())
  }
  // Three in use, two left behind, and one more while some are stuck.
  assert(most <= 6, `${most} sessions`)
  await one.set({})
  await succeeds(() => db.row(increase, {}))
  await db.close()
})

test('TLS with a verified name, and a password by SCRAM', { skip }, async (t) => {
  const cluster = await createCluster({ password_encryption: 'scram-sha-256' })
  t.after(() => cluster.drop())
  await cluster.query(`create role parts login password 'pa:ss/wörd'; create table counters as select 0 as n;
    grant all on counters to parts`)
  makeCertificate(cluster.folder, 'localhost')
  const data = join(cluster.folder, 'data')
  for (const line of [
    `ssl = on`,
    `listen_addresses = 'localhost'`,
    `ssl_cert_file = '${cluster.folder}/server.pem'`,
    `ssl_key_file = '${cluster.folder}/server.key'`,
  ])
    appendFileSync(join(data, 'postgresql.conf'), `${line}\n`)
  writeFileSync(
    join(data, 'pg_hba.conf'),
    'host all postgres 127.0.0.1/32 trust\nhostssl all parts all scram-sha-256\n',
  )
  await cluster.stop()
  await cluster.start()
  const url = (host: string, password: string): string =>
    `postgres://parts:${encodeURIComponent(password)}@${host}:${cluster.port}/postgres` +
    `?sslmode=verify-full&sslrootcert=${encodeURIComponent(`${cluster.folder}/server.pem`)}`
  await withDatabase(url('localhost', 'pa:ss/wörd'), async (db) => {
    assert.equal((await db.row(increase, {}))?.n, 1)
    assert.equal((await db.row(read, {}))?.n, 1)
  })
  for (const wrong of [url('127.0.0.1', 'pa:ss/wörd'), url('localhost', 'wrong')])
    await withDatabase(wrong, async (db) => {
      await assert.rejects(db.row(increase, {}), { name: 'DatabaseTrouble', kind: 'unavailable' })
    })
})

function makeCertificate(folder: string, name: string): void {
  const files = { key: join(folder, 'server.key'), certificate: join(folder, 'server.pem') }
  execFileSync(
    'openssl',
    `req -new -x509 -days 2 -nodes -newkey rsa:2048 -subj /CN=${name} -addext subjectAltName=DNS:${name}`
      .split(' ')
      .concat('-out', files.certificate, '-keyout', files.key),
    { stdio: 'ignore' },
  )
  const { uid, gid } = statSync(folder)
  chownSync(files.key, uid, gid)
  chmodSync(files.key, 0o600)
}
