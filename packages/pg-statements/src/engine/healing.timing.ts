/**
 * After each class of fault, the next statement of each kind succeeds within a second of the server being usable, without
 * a restart of the program; fifty times each. The times are printed. On a slow machine a plain connection takes long too:
 * five times as long as one takes at the same moment does not count.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase, type Database } from '../database.ts'
import { createCluster, withoutPrograms, type Cluster } from '../testing-cluster.ts'
import { openProxy, type Proxy } from '../testing-proxy.ts'
import { statementOf } from '../testing.ts'
import { int4 } from '../types.ts'

const roundsMax = 50
const healsWithinMs = 1_000
const slowness = 5

const increase = statementOf('campaign-increase', 'update counters set n = n + 1 where id = :id returning n', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const read = statementOf('campaign-read', 'select n from counters where id = :id', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const plain = { parameters: {}, columns: {} }
const forgetAll = statementOf('campaign-deallocate', 'deallocate all', plain)
const forgetAllWriting = statementOf('campaign-deallocate-writing', 'deallocate all /* update */', plain)

const skip = withoutPrograms
let primary: Cluster
let other: Cluster
let proxy: Proxy

before(async () => {
  if (skip !== false) return
  ;[primary, other] = await Promise.all([createCluster(), createCluster()])
  for (const cluster of [primary, other])
    await cluster.query(`create table counters as select id, 0 as n from generate_series(1, 100) id;
      create role parts login; grant all on counters to parts`)
  proxy = await openProxy(primary.url)
})
after(async () => {
  if (skip !== false) return
  await proxy.close()
  await Promise.all([primary.drop(), other.drop()])
})

interface Fault {
  readonly name: string
  readonly url?: () => string
  /** Breaks something; resolves with the time at which the server was usable again. */
  readonly strike: (db: Database, round: number) => Promise<number>
  /** Callers see nothing at all. */
  readonly unseen?: boolean
}

/** Statements of both kinds that go on while something breaks. */
async function trafficDuring(db: Database, work: () => Promise<void>): Promise<number> {
  const state = { over: false }
  const traffic = Array.from({ length: 8 }, async (_, i) => {
    while (!state.over) {
      await db.row(i % 2 === 0 ? increase : read, { id: i + 1 }).catch(() => sleep(5))
      await sleep(1)
    }
  })
  await work()
  const usableAt = performance.now()
  state.over = true
  await Promise.all(traffic)
  return usableAt
}

const faults: readonly Fault[] = [
  {
    name: 'the server restarts (57P01, 57P03, refused)',
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.stop('SIGINT')
        await sleep(50)
        await primary.start()
      }),
  },
  {
    name: 'the server crashes (57P02, reset)',
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.stop('SIGQUIT')
        await sleep(50)
        await primary.start()
      }),
  },
  {
    name: 'all sessions are terminated (57P01)',
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'parts'`,
        )
      }),
  },
  {
    name: 'the network cuts all connections (closed)',
    url: () => proxy.url,
    strike: async (db) =>
      trafficDuring(db, async () => {
        proxy.refusing = true
        proxy.cut()
        await sleep(100)
        proxy.refusing = false
      }),
  },
  {
    name: 'the network swallows everything for a while (silent)',
    url: () => proxy.url,
    strike: async (db) =>
      trafficDuring(db, async () => {
        proxy.freeze(true)
        await sleep(400)
        proxy.freeze(false)
      }),
  },
  {
    name: 'the server is read-only for a while (25006)',
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.set({ default_transaction_read_only: 'on' })
        await sleep(100)
        await primary.set({})
        // Sessions learn of it when they are next idle.
        await primary.query('select pg_sleep(0.05)')
      }),
  },
  {
    name: 'the primary changes places, its sessions stay open (25006, several hosts)',
    url: () =>
      `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${other.port}/postgres?target_session_attrs=read-write`,
    strike: async (db, round) =>
      trafficDuring(db, async () => {
        const [down, up] = round % 2 === 0 ? [primary, other] : [other, primary]
        await down.set({ default_transaction_read_only: 'on' })
        await up.set({})
        await up.query('select pg_sleep(0.05)')
      }),
  },
  {
    name: 'sessions forget their statements (26000)',
    unseen: true,
    strike: async (db) => {
      await Promise.all([1, 2, 3, 4].flatMap(() => [db.rows(forgetAll, {}), db.rows(forgetAllWriting, {})]))
      return performance.now()
    },
  },
  {
    name: 'the type of a column changes (0A000)',
    unseen: true,
    strike: async (_, round) => {
      await primary.query(`alter table counters alter column n type ${round % 2 === 0 ? 'bigint' : 'integer'}`)
      return performance.now()
    },
  },
  {
    name: 'connections reach their maximum age',
    unseen: true,
    strike: async () => {
      await sleep(100)
      return performance.now()
    },
  },
  {
    name: 'a synchronous standby is gone for a while',
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.set({ synchronous_standby_names: 'nobody' })
        await sleep(100)
        await primary.set({})
      }),
  },
  {
    name: 'the server has no connections left (53300)',
    url: () => primary.url.replace('postgres@', 'parts@'),
    strike: async (db) =>
      trafficDuring(db, async () => {
        await primary.query('alter role parts connection limit 0')
        await primary.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = 'parts'`)
        await sleep(50)
        await primary.query('alter role parts connection limit -1')
      }),
  },
]

for (const { name, url, strike, unseen = false } of faults)
  test(`${name}: heals within a second, ${roundsMax} times`, { skip }, async () => {
    const db = openDatabase({
      url: url?.() ?? primary.url,
      poolSize: 6,
      timeZone: 'UTC',
      statementTimeoutMs: 5_000,
      ...(name.includes('maximum age') ? { connectionAgeMaxMs: 200 } : {}),
    })
    const times: number[] = []
    try {
      for (let round = 0; round < roundsMax; round++) {
        await Promise.all([1, 2, 3].flatMap((id) => [settled(db, read, id), settled(db, increase, id)]))
        const usableAt = await strike(db, round)
        await Promise.all(
          Array.from({ length: 8 }, async (_, i) =>
            untilDone(() => db.row(i % 2 === 0 ? increase : read, { id: 50 + i }), unseen),
          ),
        )
        const healedMs = performance.now() - usableAt
        times.push(Math.max(0, healedMs - slowness * (await plainConnectionMs())))
      }
    } finally {
      await db.close()
      await Promise.all([primary.set({}), other.set({})])
    }
    const sorted = times.toSorted((a, b) => a - b)
    console.log(`${name}: median ${sorted[25]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`)
    assert((sorted.at(-1) ?? 0) < healsWithinMs, `It took ${sorted.at(-1)?.toFixed(0)} ms.`)
  })

/** How long a plain connection and a statement take now. */
async function plainConnectionMs(): Promise<number> {
  const started = performance.now()
  const client = new pg.Client({ connectionString: primary.url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return performance.now() - started
  } catch {
    return 0 // This server is the one that is gone.
  } finally {
    await client.end().catch(() => undefined)
  }
}

const settled = (db: Database, statement: typeof read, id: number): Promise<unknown> =>
  untilDone(() => db.row(statement, { id }), false)

/** Repeats `work` until it succeeds. */
async function untilDone(work: () => Promise<unknown>, atOnce: boolean): Promise<void> {
  for (;;)
    try {
      await work()
      return
    } catch (error) {
      if (atOnce) throw error
      await sleep(5)
    }
}
