/**
 * How much a lock costs those who do not need it, and how much of PostgreSQL's rate changes reach when commits are slow.
 * Each comparison alternates in one run, and the middle of the ratios counts, so other work on the machine affects both sides.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase, type Database } from '../database.ts'
import { createScratchDatabase, statementOf, type ScratchDatabase } from '../testing.ts'
import { int4 } from '../types.ts'

const byId = { parameters: { id: int4 }, columns: { n: int4 } }
const increase = statementOf('locks-increase', 'update counters set n = n + 1 where id = :id returning n', byId)
const readCounter = statementOf('locks-read-counter', 'select n from counters where id = :id', byId)
const countCounters = statementOf('locks-count', 'select count(*)::integer as n from counters where id < :id', byId)
const note = statementOf('locks-note', 'update notes set n = n + 1 where id = :id returning n', byId)
const readNote = statementOf('locks-read-note', 'select n from notes where id = :id', byId)
const slowCommit = statementOf('locks-slow-commit', 'update slow set n = n + 1 where id = :id returning n', byId)

const attemptsMax = 3 // Other programs on the machine may disturb a measurement; a lock that works disturbs each.
/** For trivial updates, of which the attempts of the blocked clients are a part. For orders over HTTP the service's locks.timing.ts demands 0.9. */
const rateKept = 0.85
const rounds = 11
const roundMs = 1_500 // Longer than the lock timeout.

let database: ScratchDatabase
let db: Database

before(async () => {
  database = await createScratchDatabase()
  for (const table of ['counters', 'notes', 'slow']) {
    await database.query(`create table ${table} (id integer primary key, n integer) with (fillfactor = 20)`)
    await database.query(`insert into ${table} select id, 0 from generate_series(1, 1000) id`)
  }
  // The commit takes 5 ms longer and holds its locks meanwhile, as it does when it waits for a synchronous standby.
  await database.query(
    `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(0.005); return null; end'`,
  )
  await database.query(`create constraint trigger wait after update on slow deferrable initially deferred
    for each row execute function wait()`)
  db = openDatabase({ url: database.url, poolSize: 18, timeZone: 'UTC', statementTimeoutMs: 2_000 })
})
after(async () => {
  await db.close()
  await database.drop()
})

const of = (share: string): Database => db.for({ share, deadline: performance.now() + 5_000, isGone: () => false })

interface Pace {
  readonly perSecond: number
  readonly p99: number
}

async function paceOf(ms: number, clients: number, work: (client: number) => Promise<unknown>): Promise<Pace> {
  const times: number[] = []
  const end = performance.now() + ms
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < end) {
        const started = performance.now()
        await work(client)
        times.push(performance.now() - started)
      }
    }),
  )
  times.sort((a, b) => a - b)
  return { perSecond: (times.length / ms) * 1000, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

/** What `blocked` clients, who want what is locked, cost the others. */
async function compare(
  lock: string,
  others: () => Promise<Pace>,
  blocked: (client: number) => Promise<unknown>,
  count: number,
) {
  await others()
  const pairs: [Pace, Pace][] = []
  for (let round = 0; round < rounds; round++) {
    const session = new pg.Client({ connectionString: database.url })
    await session.connect()
    // A long transaction keeps old versions of rows alive, which costs the others as well. So there is one on both sides.
    await session.query('begin')
    await session.query('update notes set n = 0 where id = 1000')
    const alone = await others()
    await session.query('rollback')
    await session.query('begin')
    await session.query(lock)
    const held = { over: false }
    const waiting = Array.from({ length: count }, async (_, client) => {
      while (!held.over) await blocked(client).catch(() => sleep(5))
    })
    await sleep(100)
    const beside = await others()
    held.over = true
    await session.query('rollback')
    await session.end()
    await Promise.all(waiting)
    pairs.push([alone, beside])
  }
  const rate = middle(pairs.map(([alone, beside]) => beside.perSecond / alone.perSecond))
  const p99 = middle(pairs.map(([alone, beside]) => beside.p99 / alone.p99))
  return { rate, p99, example: pairs[0] }
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Compares again when a bound is exceeded. */
async function check(what: string, ...compared: Parameters<typeof compare>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { rate, p99 } = await compare(...compared)
    const figures = `${what}: ${rate.toFixed(2)} of the rate, p99 times ${p99.toFixed(2)}`
    console.log(figures)
    if (rate >= rateKept && p99 <= 2) return
    assert(attempt < attemptsMax, figures)
  }
}

test('6 of 16 clients want a row that is locked: the other ten keep their rate', () =>
  check(
    'a locked row',
    'update counters set n = 0 where id = 1',
    () => paceOf(roundMs, 10, (client) => of(`client ${client}`).row(increase, { id: 100 + client })),
    (client) => of(`blocked ${client}`).row(increase, { id: 1 }),
    6,
  ))

test('a table is locked: what does not need it keeps its p99', () =>
  check(
    'a locked table',
    'lock table counters in access exclusive mode',
    () =>
      paceOf(roundMs, 10, async (client) => {
        await of(`client ${client}`).row(note, { id: 1 + client })
        await of(`client ${client}`).row(readNote, { id: 1 + client })
      }),
    // The same clients want the locked table as well.
    (client) =>
      of(`client ${client}`).row([increase, readCounter, countCounters][client % 3] ?? increase, { id: 1 + client }),
    10,
  ))

test('with 5 ms added to every commit, changes reach 0.85 of what 16 plain connections reach', async () => {
  const clients = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      return client
    }),
  )
  const idOf = (client: number): number => 1 + client + 16 * Math.floor(Math.random() * 60) // Without waits for rows.
  const bare = (): Promise<Pace> =>
    paceOf(1_000, 16, (client) => {
      const text = 'update slow set n = n + 1 where id = $1 returning n'
      return clients[client]?.query({ name: 'bare', text, values: [idOf(client)] }) ?? Promise.resolve()
    })
  const ours = (): Promise<Pace> =>
    paceOf(1_000, 16, (client) => of(`client ${client}`).row(slowCommit, { id: idOf(client) }))
  await bare()
  await ours()
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [plain, engine] = [await bare(), await ours()]
    ratios.push(engine.perSecond / plain.perSecond)
  }
  for (const client of clients) await client.end()
  console.log(`slow commits: ${middle(ratios).toFixed(2)} of 16 plain connections`)
  assert(middle(ratios) >= 0.85)
})
