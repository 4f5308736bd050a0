/** CPU time of a delivery, in the worker and in its PostgreSQL backends: of this checkout, or of two in turns. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { databaseUrl } from '../load/databases.ts'
import { cpuMs } from '../process-usage.ts'
import { median } from '../run/median.ts'
import { makeEndpoints, removeEndpoints, startReceiver, workerSettings, type CountingReceiver } from './endpoints.ts'

const here = fileURLToPath(new URL('../../..', import.meta.url))
const tickMs = 20
const waitMsMax = 60_000

export interface DeliveryCost {
  readonly nodeMs: number
  readonly postgresMs: number
}

export interface DeliveryCostOptions {
  readonly database: string
  readonly rounds: number
  readonly seconds: number
  readonly perSecond: number
  /** Another checkout of the repository, whose worker is measured in turns with this one's. */
  readonly against: string | undefined
}

export async function measureDeliveryCost(options: DeliveryCostOptions): Promise<void> {
  const url = databaseUrl(options.database)
  await migrate(url, () => undefined)
  const session = new Client({ connectionString: url })
  await session.connect()
  const receiver = await startReceiver()
  const roots = [here, ...(options.against === undefined ? [] : [options.against])]
  const measured = new Map(roots.map((root) => [root, [] as DeliveryCost[]]))
  try {
    for (let round = 0; round < options.rounds; round++)
      for (const n of roots.keys()) {
        const root = roots[(n + round) % roots.length] ?? here
        const cost = await measureOnce({ session, receiver, url, root }, options)
        measured.get(root)?.push(cost)
        process.stderr.write(`${shown(cost)}  ${root}\n`)
      }
    await removeEndpoints(session)
  } finally {
    receiver.close()
    await session.end()
  }
  for (const [root, costs] of measured) process.stdout.write(`${shown(medianOf(costs))}  median, ${root}\n`)
}

const shown = ({ nodeMs, postgresMs }: DeliveryCost): string =>
  `a delivery takes ${nodeMs.toFixed(3)} ms of Node and ${postgresMs.toFixed(3)} ms of PostgreSQL`

const medianOf = (costs: readonly DeliveryCost[]): DeliveryCost => ({
  nodeMs: median(costs.map(({ nodeMs }) => nodeMs)),
  postgresMs: median(costs.map(({ postgresMs }) => postgresMs)),
})

/** One endpoint per client; events of orders happen at a fixed rate, each to another client. */
async function measureOnce(
  { session, receiver, url, root }: { session: Client; receiver: CountingReceiver; url: string; root: string },
  { seconds, perSecond }: DeliveryCostOptions,
): Promise<DeliveryCost> {
  await removeEndpoints(session)
  await makeEndpoints(session, receiver.address)
  const { rows: clients } = await session.query<{ client_id: string }>(
    `select client_id from clients c where exists (
       select 1 from orders o where o.client_id = c.client_id) order by client_id`,
  )
  const before = await backends(session)
  const worker = spawn(process.execPath, [join(root, 'apps/service/src/main.ts'), 'worker'], {
    stdio: 'ignore',
    env: { ...process.env, ...workerSettings(url) },
  })
  let next = 0
  /** Returns when all of them have arrived. */
  const happen = async (forSeconds: number): Promise<number> => {
    const arrived = receiver.received()
    const started = performance.now()
    let events = 0
    while (performance.now() - started < forSeconds * 1000) {
      const due = Math.floor(((performance.now() - started) / 1000) * perSecond) - events
      const some = Array.from(
        { length: Math.min(due, clients.length) },
        () => clients[next++ % clients.length]?.client_id,
      )
      if (some.length > 0) await session.query(happenSql, [some])
      events += some.length
      await sleep(tickMs)
    }
    while (receiver.received() - arrived < events) {
      if (performance.now() - started > forSeconds * 1000 + waitMsMax) throw new Error('Events have not arrived.')
      await sleep(tickMs)
    }
    return events
  }
  try {
    await happen(3) // Until it is running and its code is compiled.
    const pids = [...(await backends(session))].filter((pid) => !before.has(pid))
    const used = (): DeliveryCost => ({
      nodeMs: cpuMs(worker.pid ?? 0),
      postgresMs: pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
    })
    const start = used()
    const events = await happen(seconds)
    const end = used()
    return { nodeMs: (end.nodeMs - start.nodeMs) / events, postgresMs: (end.postgresMs - start.postgresMs) / events }
  } finally {
    const exited = once(worker, 'exit')
    worker.kill('SIGTERM')
    await exited
  }
}

/** The newest order of each client happens again: a message of usual size. */
const happenSql = `
  with numbered as (
    update clients set event_number = event_number + 1,
      event_transaction = greatest(event_transaction, pg_current_xact_id())
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
