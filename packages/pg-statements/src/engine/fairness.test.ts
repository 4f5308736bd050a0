/** No lock, no share and no caller that has left stops the others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CallerGone, openDatabase, type Caller, type Database } from '../database.ts'
import { createScratchDatabase, statementOf, type ScratchDatabase } from '../testing.ts'
import { int4, text } from '../types.ts'

const increase = statementOf('fair-increase', 'update counters set n = n + 1 where id = :id returning n', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const note = statementOf('fair-note', 'update notes set n = n + 1 where id = :id returning n', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const read = statementOf('fair-read', 'select n from counters where id = :id', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const readAll = statementOf('fair-read-all', 'select count(*)::integer as n from counters', {
  parameters: {},
  columns: { n: int4 },
})
const readNote = statementOf('fair-read-note', 'select n from notes where id = :id', {
  parameters: { id: int4 },
  columns: { n: int4 },
})
const take = statementOf('fair-take', 'select pg_sleep(:seconds::float8)::text as slept', {
  parameters: { seconds: text },
  columns: { slept: text },
})

let database: ScratchDatabase
const settings = { poolSize: 18, timeZone: 'UTC', statementTimeoutMs: 60_000 }

before(async () => {
  database = await createScratchDatabase()
  for (const table of ['counters', 'notes']) {
    await database.query(`create table ${table} (id integer primary key, n integer)`)
    await database.query(`insert into ${table} select id, 0 from generate_series(1, 1000) id`)
  }
})
after(() => database.drop())

function open(t: { after: (work: () => Promise<void>) => void }, poolSize = settings.poolSize): Database {
  const db = openDatabase({ ...settings, poolSize, url: database.url })
  t.after(async () => {
    for (const release of held) await release() // A test that fails leaves its lock, and `close` waits for what waits for it.
    await db.close()
  })
  return db
}

const callerOf = (share: string, more: Partial<Caller> = {}): Caller => ({
  share,
  deadline: Infinity,
  isGone: () => false,
  ...more,
})

const held = new Set<() => Promise<void>>()

/** Holds a lock until `release` is called, or the test ends. */
async function hold(sql: string): Promise<{ release: () => Promise<void> }> {
  const session = new pg.Client({ connectionString: database.url })
  await session.connect()
  await session.query('begin')
  await session.query(sql)
  const release = async (): Promise<void> => {
    if (held.delete(release)) await session.end()
  }
  held.add(release)
  return { release }
}

interface Pace {
  readonly count: number
  /** The time that all but one of a hundred take at most. */
  readonly p99: number
}

/** What `clients` get done in a while, each with one statement after another. */
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
  return { count: times.length, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

/** The middle of three comparisons, made in turn: other work on the machine affects both sides. */
async function medianRatio(measure: () => Promise<number>): Promise<number> {
  const ratios = [await measure(), await measure(), await measure()]
  return ratios.toSorted((a, b) => a - b)[1] ?? 0
}

test('six of sixteen clients wait for a row, and the other ten keep their rate', async (t) => {
  const db = open(t)
  const others = (): Promise<Pace> =>
    paceOf(500, 10, (client) => db.for(callerOf(`client ${client}`)).row(increase, { id: 100 + client }))
  await others()
  const ratio = await medianRatio(async () => {
    const alone = await others()
    const lock = await hold('update counters set n = 0 where id = 1')
    const blocked = Array.from({ length: 6 }, (_, i) => db.for(callerOf(`blocked ${i}`)).row(increase, { id: 1 }))
    await sleep(200) // They are stuck by now.
    const beside = await others()
    await lock.release()
    await Promise.all(blocked)
    return beside.count / alone.count
  })
  assert(ratio > 0.6, `They reached ${ratio.toFixed(2)} of their rate.`)
})

test('one client that sends fifty changes of a locked row leaves connections for others', async (t) => {
  const db = open(t)
  const lock = await hold('update counters set n = 0 where id = 2')
  const blocked = Array.from({ length: 50 }, () => db.for(callerOf('many')).row(increase, { id: 2 }))
  for (let i = 0; i < 50; i++) {
    const found = await db.for(callerOf('few')).row(increase, { id: 200 + i })
    assert.equal(typeof found?.n, 'number')
  }
  assert((await Promise.race([...blocked, sleep(0)])) === undefined, 'The row is still locked.')
  await lock.release()
  await Promise.all(blocked)
})

test('a lock on a table delays only what needs the table, reads and changes alike', async (t) => {
  const db = open(t)
  const others = (): Promise<Pace> =>
    paceOf(400, 10, async (client) => {
      const own = db.for(callerOf(`client ${client}`))
      await own.row(note, { id: 1 + client })
      await own.row(readNote, { id: 1 + client })
    })
  await others()
  const lock = await hold('lock table counters in access exclusive mode')
  const blocked = Array.from({ length: 60 }, (_, i) => {
    const own = db.for(callerOf(`client ${i % 10}`))
    return i % 3 === 0
      ? own.row(increase, { id: 300 + i })
      : i % 3 === 1
        ? own.row(read, { id: 1 })
        : own.row(readAll, {})
  })
  const { count } = await others()
  assert(count > 20, `${count} rounds beside the lock.`)
  const { stuck } = db.state()
  assert(stuck > 0)
  await lock.release()
  await Promise.all(blocked)
})

test('reads sent behind one that is now stuck are answered by another connection', async (t) => {
  const db = open(t, 3) // One connection for reads.
  await db.row(readNote, { id: 1 })
  const lock = await hold('lock table counters in access exclusive mode')
  const stuck = db.row(read, { id: 1 })
  const behind = Array.from({ length: 20 }, () => db.row(readNote, { id: 1000 }))
  assert.deepEqual(
    await Promise.all(behind),
    Array.from({ length: 20 }, () => ({ n: 0 })),
  )
  await lock.release()
  await stuck
})

test('a change sent behind one that gets stuck is executed: the stuck one is cancelled and sent again', async (t) => {
  const db = open(t, 2) // One connection for changes.
  await db.row(increase, { id: 502 })
  const lock = await hold('update counters set n = 0 where id = 5')
  let ended = false
  const stuck = db
    .for(callerOf('stuck'))
    .row(increase, { id: 5 })
    .finally(() => (ended = true))
  const behind = await db.for(callerOf('behind')).row(increase, { id: 502 })
  assert.deepEqual([behind, ended], [{ n: 2 }, false])
  await lock.release()
  assert.deepEqual(await stuck, { n: 1 })
})

test('short reads do not wait for the long reads of another client', async (t) => {
  const db = open(t)
  const long = (): Promise<unknown> => db.for(callerOf('many')).row(take, { seconds: '0.15' })
  await Promise.all(Array.from({ length: 20 }, long)) // Now it is known how long they take.
  let done = 0
  const many = Array.from({ length: 40 }, () => long().then(() => done++))
  for (let n = 0; n < 20; n++) await db.for(callerOf('few')).row(read, { id: 700 + n })
  assert(done <= 20, `${done} of 40 long reads were done before 20 short ones.`)
  await Promise.all(many)
})

test('a client with one statement does not wait for hundreds of another', async (t) => {
  const db = open(t, 3)
  let done = 0
  const many = Array.from({ length: 400 }, async () => {
    await db.for(callerOf('many')).row(take, { seconds: '0.001' })
    done++
  })
  await sleep(100)
  const before = done
  await db.for(callerOf('few')).row(read, { id: 1 })
  assert(done - before < 200, `${done - before} statements of the other client came first.`)
  assert(db.loadOf('many') > 0.5 && db.loadOf('few') < 0.5)
  await Promise.all(many)
})

test('nothing is executed for callers that leave, or whose deadline passes, while they wait', async (t) => {
  const db = open(t, 2) // One connection for changes.
  await db.row(increase, { id: 500 })
  const lock = await hold('update counters set n = 0 where id = 3')
  const first = db.row(increase, { id: 3 })
  await sleep(200) // Now it counts as stuck, and nothing is sent behind it.
  let gone = false
  const left = Array.from({ length: 16 }, () =>
    db.for(callerOf('left', { isGone: () => gone })).row(increase, { id: 501 }),
  )
  const late = Array.from({ length: 16 }, () =>
    db.for(callerOf('late', { deadline: performance.now() + 100 })).row(increase, { id: 501 }),
  )
  for (const each of await Promise.allSettled(late))
    assert(each.status === 'rejected' && (each.reason as { kind: string }).kind === 'busy')
  gone = true
  for (const each of await Promise.allSettled(left))
    assert(each.status === 'rejected' && each.reason instanceof CallerGone)
  await lock.release()
  await first
  assert.deepEqual(await db.row(read, { id: 501 }), { n: 0 })
})

test('few slow statements are a load: the wait is that of the oldest statement in the queue', async (t) => {
  const db = open(t, 2)
  db.load()
  const slow = Array.from({ length: 80 }, () => db.row(take, { seconds: '0.01' }))
  await sleep(300)
  assert(db.load().reading > 100)
  await Promise.all(slow)
})

test('a pause before a burst is no load: the pace is measured while there is work', async (t) => {
  const db = open(t, 2)
  await db.row(take, { seconds: '0' })
  db.load()
  await sleep(500)
  const burstAt = performance.now()
  const ended: number[] = []
  const burst = Array.from({ length: 80 }, async (_, n) => {
    await db.row(take, { seconds: '0.005' })
    ended.push(n)
  })
  while (ended.length < 5) await sleep(1)
  const before = ended.length
  const { reading } = db.load()
  const longest = (80 / before) * (performance.now() - burstAt)
  assert(reading > 0 && reading <= longest, `${reading} ms expected, at most ${longest} ms at this pace`)
  await Promise.all(burst)
})

test('a wait for a lock is no load, neither while it lasts nor when it ends', async (t) => {
  const db = open(t, 2)
  await db.row(readAll, {})
  const lock = await hold('lock table counters in access exclusive mode')
  const reads = Array.from({ length: 200 }, (_, n) => db.for(callerOf(`reader ${n}`)).row(readAll, {}))
  await sleep(2_500) // It takes a second until a statement counts as blocked rather than slow.
  db.load()
  let waitMs = 0
  let done = false
  const watch = (): void => {
    waitMs = Math.max(waitMs, db.load().reading)
    if (!done) setImmediate(watch)
  }
  watch()
  await lock.release()
  await Promise.all(reads)
  done = true
  assert(waitMs < 2_000, `${waitMs} ms`)
})

test('a lock that is held for longer than the lock timeout is reported as busy', async (t) => {
  const db = openDatabase({ ...settings, url: database.url, statementTimeoutMs: 1_000 })
  t.after(() => db.close())
  await db.row(increase, { id: 4 })
  const lock = await hold('update counters set n = 0 where id = 4')
  await assert.rejects(db.row(increase, { id: 4 }), (error: Error) => {
    assert.equal((error.cause as { code: string }).code, '55P03')
    return 'kind' in error && error.kind === 'busy'
  })
  await lock.release()
})
