import { childrenOf, memoryMb, ownMemoryMb } from '../process-usage.ts'
import { requestsPerJourney, runJourneys } from '../run/journey.ts'
import { queryCount } from '../run/material-carts.ts'
import type { Bench } from '../run/operation.ts'
import { databaseOptions, openService, prepareDatabase } from '../run/prepare.ts'
import { integer, maybeInteger, workload } from '../workload.ts'

const sampleEveryMs = 5_000
const partSeconds = 30 // After each part the orders are counted and the carts cleared.
const latencyMs = 3 // Of a request at a low rate.

export default workload({
  options: {
    ...databaseOptions,
    minutes: integer(10, 'duration'),
    rate: maybeInteger('journeys per second; without it, as many as the service answers'),
  },
  notes: [
    'Sixteen dealers place orders as fast as the service answers, or at a rate. The resident memory of the largest process is sampled every five seconds.',
    'At the end: the WAL that a journey has written, the disk that its order and its events take, and the sessions of PostgreSQL with their memory. WAL is that of the whole server: nothing else may use it.',
    'Needs wrk, and root for the memory of sessions.',
  ],
  examples: ['soak --minutes 10', 'soak --minutes 10 --rate 5'],
  run: async ({ minutes, rate, ...database }, { show }) => {
    await using at = await openService(await prepareDatabase(database))
    const { bench, service } = at
    const samples: { second: number; rss_mb: number }[] = []
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const sizes = [service.pid, ...childrenOf(service.pid)].map((pid) => memoryMb(pid, 'VmRSS'))
      samples.push({ second: Math.round((performance.now() - startedAt) / 1000), rss_mb: Math.max(...sizes) })
    }, sampleEveryMs)
    const paced = rate === undefined ? undefined : { perSecond: rate * requestsPerJourney, latencyMs }
    const diskBefore = await diskOfOrders(bench)
    let journeys = 0
    let walBytes = 0
    try {
      for (let part = 0; part < (minutes * 60) / partSeconds; part++) {
        const run = await runJourneys(bench, { address: service.address, seconds: partSeconds, paced })
        journeys += run.completed
        walBytes += run.walBytes
        const last = samples.at(-1)
        show(`${last?.second} s: ${last?.rss_mb} MB, ${Math.round(run.completed / partSeconds)} journeys per second, ${kb(run.walBytes / run.completed)} KB of WAL each\n`) // prettier-ignore
      }
    } finally {
      clearInterval(timer)
    }
    const disk = await diskOfOrders(bench)
    const each = {
      wal_kb: kb(walBytes / journeys),
      order_kb: kb((disk.orders - diskBefore.orders) / journeys),
      events_kb: kb((disk.events - diskBefore.events) / journeys),
    }
    const sessions = await sessionsOf(bench)
    show(`${journeys} journeys, each has written ${each.wal_kb} KB of WAL and takes ${each.order_kb} KB for the order and ${each.events_kb} KB for events; ${sessions.count} sessions of ${sessions.mb} MB\n`) // prettier-ignore
    return { results: { journeys, each, sessions, samples } }
  },
})

const kb = (bytes: number): number => Math.round(bytes / 102.4) / 10

/** Of what belongs to one order and stays, and of events, which expire. Carts and stock levels reuse their space. */
async function diskOfOrders({ session }: Bench): Promise<{ orders: number; events: number }> {
  const size = (which: string): Promise<number> =>
    queryCount(
      session,
      `select sum(pg_total_relation_size(c.oid))::float8 as count from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'order_id'
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and ${which}`,
      [],
    )
  return { orders: await size(`relname not like 'events%'`), events: await size(`relname like 'events%'`) }
}

/** Of the service, and what each has of its own, on average. */
async function sessionsOf({ session }: Bench): Promise<{ count: number; mb: number }> {
  const { rows } = await session.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
       and pid <> pg_backend_pid()`,
  )
  const total = rows.reduce((sum, { pid }) => sum + ownMemoryMb(pid), 0)
  return { count: rows.length, mb: Math.round((total / rows.length) * 10) / 10 }
}
