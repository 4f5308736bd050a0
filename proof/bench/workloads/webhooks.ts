/**
 * What webhooks cost clients that place orders: the rate without endpoints, with one endpoint per client, and with one
 * per client while a worker delivers on the same machine. And what a delivery costs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { startReceiver, type Receiver } from '../../../apps/service/src/testing/network/receiver.ts'
import { makeSecret } from '../../../apps/service/src/webhooks/signature.ts'
import { databaseUrl, inSession } from '../load/databases.ts'
import { cpuMs } from '../process-usage.ts'
import { median } from '../run/figures.ts'
import { serviceSide } from '../run/measure.ts'
import { operationNamed } from '../run/operations.ts'
import { openService } from '../run/prepare.ts'
import { startWorkerProcess } from '../run/service-process.ts'
import { integer, text, word, workload, WrongUse } from '../workload.ts'

type Show = (line: string) => void

export default workload({
  options: {
    database: word('parts_bench_1m', 'NAME', 'loaded database, name or URL'),
    rounds: integer(9, 'rounds; the result is their median'),
    only: text('PART', 'orders or cost (default: orders)'),
    seconds: integer(8, 'of a round of --only cost'),
    'per-second': integer(300, 'events in --only cost'),
  },
  notes: [
    'Each round places orders without endpoints, with one endpoint per client, and with one per client while a worker delivers on the same machine.',
    'With --only cost, events happen at a fixed rate, and the CPU time of a delivery is measured, in the worker and in its PostgreSQL backends. A busy machine changes it less than it changes rates.',
    'Removes all webhooks of the database. Needs wrk. Takes about 4 minutes.',
  ],
  examples: ['webhooks --rounds 3', 'webhooks --only cost'],
  run: async ({ database, rounds, only = 'orders', seconds, 'per-second': perSecond }, { show }) => {
    if (!['orders', 'cost'].includes(only)) throw new WrongUse(`--only must be orders or cost, not '${only}'.`)
    const url = databaseUrl(database)
    await migrate(url, () => undefined)
    const receiver = await startReceiver()
    try {
      if (only === 'orders') return { results: await measureOrders(url, receiver, rounds, show) }
      return { results: await measureDeliveries(url, receiver, { rounds, seconds, perSecond }, show) }
    } finally {
      receiver.close()
    }
  },
})

async function removeEndpoints(session: Client): Promise<void> {
  await session.query('truncate webhooks, webhook_deliveries, webhook_tests')
  await session.query('update clients set webhook_count = 0 where webhook_count > 0')
  await session.query('vacuum clients')
}

/** One per client, which has received all events so far. */
async function makeEndpoints(session: Client, { url, received }: Receiver): Promise<void> {
  received.length = 0
  await session.query(
    `with client as (update clients set webhook_count = 1 returning client_id, event_number)
     insert into webhooks (client_id, url, secret, delivered_event_number)
     select client_id, $1 || '/' || client_id, $2, event_number from client`,
    [url, makeSecret()],
  )
  await session.query('vacuum analyze clients, webhooks')
}

const kinds = ['none', 'endpoints', 'delivering'] as const
const orderSeconds = 6

async function measureOrders(url: string, receiver: Receiver, rounds: number, show: Show): Promise<object[]> {
  await using at = await openService(url)
  const { session } = at.bench
  const place = serviceSide(at, operationNamed('place-order-5'))
  await place(2)
  const rateOf = async (kind: (typeof kinds)[number]): Promise<number> => {
    await removeEndpoints(session)
    if (kind !== 'none') await makeEndpoints(session, receiver)
    if (kind !== 'delivering') return (await place(orderSeconds)).perSecond
    const worker = startWorkerProcess(url, 10)
    await sleep(3_000)
    const before = receiver.received.length
    const { perSecond } = await place(orderSeconds)
    const delivered = (receiver.received.length - before) / orderSeconds
    show(`${delivered.toFixed(0)} events per second were delivered in the meantime.\n`)
    await worker.stop()
    return perSecond
  }
  const measured: Record<(typeof kinds)[number], number>[] = []
  for (let round = 0; round < rounds; round++) {
    const rates = { none: 0, endpoints: 0, delivering: 0 }
    // Each kind comes first equally often: the database gets slower with every order, and vacuum runs at random.
    const first = round % kinds.length
    for (const kind of [...kinds.slice(first), ...kinds.slice(0, first)]) rates[kind] = await rateOf(kind)
    measured.push(rates)
    const { none, endpoints, delivering } = rates
    show(
      `no webhooks ${none.toFixed(0)}/s; one per client ${endpoints.toFixed(0)}/s; with a worker ${delivering.toFixed(0)}/s\n`,
    )
  }
  await removeEndpoints(session)
  const ratio = (of: (typeof kinds)[number]): string =>
    median(measured.map((rates) => rates[of] / rates.none)).toFixed(2)
  show(
    `Orders keep ${ratio('endpoints')} of their rate with one endpoint per client, and ${ratio('delivering')} while a worker delivers on the same machine.\n`,
  )
  return measured
}

interface DeliveryCost {
  readonly nodeMs: number
  readonly postgresMs: number
}

interface DeliverySettings {
  readonly rounds: number
  readonly seconds: number
  readonly perSecond: number
}

const tickMs = 20
const waitMsMax = 60_000

/** CPU time of a delivery, in the worker and in its PostgreSQL backends. */
async function measureDeliveries(
  url: string,
  receiver: Receiver,
  settings: DeliverySettings,
  show: Show,
): Promise<DeliveryCost[]> {
  const shown = ({ nodeMs, postgresMs }: DeliveryCost): string =>
    `a delivery takes ${nodeMs.toFixed(3)} ms of Node and ${postgresMs.toFixed(3)} ms of PostgreSQL`
  return inSession(url, async (session) => {
    const costs: DeliveryCost[] = []
    for (let round = 0; round < settings.rounds; round++) {
      const cost = await deliver(session, url, receiver, settings)
      costs.push(cost)
      show(`${shown(cost)}\n`)
    }
    await removeEndpoints(session)
    const medianOf = (of: keyof DeliveryCost): number => median(costs.map((cost) => cost[of]))
    show(`${shown({ nodeMs: medianOf('nodeMs'), postgresMs: medianOf('postgresMs') })} (median)\n`)
    return costs
  })
}

/** One endpoint per client; events of orders happen at a fixed rate, each to another client. */
async function deliver(
  session: Client,
  url: string,
  receiver: Receiver,
  { seconds, perSecond }: DeliverySettings,
): Promise<DeliveryCost> {
  await removeEndpoints(session)
  await makeEndpoints(session, receiver)
  const { rows: clients } = await session.query<{ client_id: string }>(
    `select client_id from clients c where exists (
       select 1 from orders o where o.client_id = c.client_id) order by client_id`,
  )
  const before = await backends(session)
  const worker = startWorkerProcess(url)
  let next = 0
  /** Returns when all of them have arrived. */
  const happen = async (forSeconds: number): Promise<number> => {
    const arrived = receiver.received.length
    const started = performance.now()
    const passedMs = (): number => performance.now() - started
    let events = 0
    while (passedMs() < forSeconds * 1000) {
      const due = Math.min(Math.floor((passedMs() / 1000) * perSecond) - events, clients.length)
      const some = Array.from({ length: due }, () => clients[next++ % clients.length]?.client_id)
      if (some.length > 0) await session.query(happenSql, [some])
      events += some.length
      await sleep(tickMs)
    }
    while (receiver.received.length - arrived < events) {
      if (passedMs() > forSeconds * 1000 + waitMsMax) throw new Error('Events have not arrived.')
      await sleep(tickMs)
    }
    return events
  }
  try {
    await happen(3) // Until it is running and its code is compiled.
    const pids = [...(await backends(session))].filter((pid) => !before.has(pid))
    const used = (): [node: number, postgres: number] => [
      cpuMs(worker.pid),
      pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
    ]
    const start = used()
    const events = await happen(seconds)
    const end = used()
    return { nodeMs: (end[0] - start[0]) / events, postgresMs: (end[1] - start[1]) / events }
  } finally {
    await worker.stop()
  }
}

/** The newest order of each client happens again: a message of usual size. */
const happenSql = `
  with numbered as (
    update clients set event_number = event_number + 1,
      event_transaction = greatest(event_transaction, event_position(pg_current_xact_id()))
    where client_id = any($1::bigint[])
    returning client_id, event_number, event_transaction
  )
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id, n.event_number, 'order.created', o.order_id, o.data, 'the benchmark', 'bench'
  from numbered n
  cross join lateral (
    select e.order_id, e.data from events e
    where e.client_id = n.client_id and e.event_type = 'order.created'
    order by e.event_number desc
    limit 1
  ) o`

async function backends(session: Client): Promise<Set<number>> {
  const { rows } = await session.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  return new Set(rows.map(({ pid }) => pid))
}
