/** What many clients that wait for events cost, and how soon an event reaches the client that waits for it. */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { benchKey } from '../load/bench-keys.ts'
import { databaseUrl } from '../load/databases.ts'
import { sizesOf } from '../load/sizes.ts'
import { cpuTicks, memoryMb, ticksPerSecond } from '../process-usage.ts'
import { loadIfAbsent } from '../run/prepare.ts'
import { introduce, startServiceProcess, type ServiceProcess } from '../run/service-process.ts'

const quietSeconds = 5
const waitSeconds = 20

export async function measureWaiting({ readers, events }: { readers: number; events: number }): Promise<void> {
  const url = databaseUrl(`bench_waiting_${readers}`)
  await loadIfAbsent(url, sizesOf(readers * 20, readers, 10_000))
  const session = new Client({ connectionString: url })
  await session.connect()
  const service = await startServiceProcess(url)
  const clients = Array.from({ length: readers }, (_, n) => n + 1)
  await introduce(service.address, clients)
  const waiters = makeWaiters(service, await lastEvents(session))

  await sleep(2_000)
  const idle = await usage(session, service)
  const memoryBefore = memoryMb(service.pid, 'VmRSS')
  // Requests start spread over the waiting time, as those of independent clients do.
  const waiting = clients.map(async (client_id, n) => {
    await sleep((waitSeconds * 1000 * n) / readers)
    await waiters.follow(client_id)
  })
  await sleep(waitSeconds * 1000 + 1_000)
  const busy = await usage(session, service)
  const memory = memoryMb(service.pid, 'VmRSS')
  const connections = await countConnections(session)
  const delays: number[] = []
  for (let n = 0; n < events; n++) {
    const client_id = 1 + ((n * 7919) % readers)
    const received = waiters.next(client_id)
    await writeEvent(session, client_id)
    const committed = performance.now()
    await received
    delays.push(performance.now() - committed)
    await sleep(Math.random() * 30)
  }
  const at = (share: number): string =>
    (delays.toSorted((a, b) => a - b)[Math.floor(delays.length * share)] ?? 0).toFixed(1)

  print('statements per second, no client waiting', idle.statements.toFixed(1))
  print(`statements per second, ${readers} waiting`, busy.statements.toFixed(1))
  print('connections to PostgreSQL', String(connections))
  print('memory before and while they wait', `${memoryBefore} and ${memory} MB`)
  print('CPU of the service before and while they wait', `${idle.cpuMs.toFixed(0)} and ${busy.cpuMs.toFixed(0)} ms/s`)
  print(`commit to response, ${events} events`, `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(0.9999)} ms`)

  const stopped = Promise.allSettled(waiting)
  waiters.stop()
  await service.stop()
  waiters.disconnect()
  await stopped
  await session.end()
}

const print = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(46)}${value}\n`)

interface Waiters {
  /** Requests the client's events again and again until `stop`. */
  readonly follow: (client_id: number) => Promise<void>
  /** Resolves when the client receives its next event. */
  readonly next: (client_id: number) => Promise<void>
  readonly stop: () => void
  readonly disconnect: () => void
}

function makeWaiters({ address }: ServiceProcess, after: Map<number, number>): Waiters {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
  const received = new Map<number, () => void>()
  const stopping = new AbortController()

  function readEvents(client_id: number): Promise<{ event_number: number }[]> {
    const { promise, resolve, reject } = Promise.withResolvers<{ event_number: number }[]>()
    const url = `${address}/api/v1/events/?after=${after.get(client_id) ?? 0}&wait=${waitSeconds}`
    const request = http.get(url, { agent, headers: { authorization: benchKey(client_id) } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        if (response.statusCode === 200) resolve((JSON.parse(text) as { data: { event_number: number }[] }).data)
        else reject(new Error(text))
      })
    })
    request.on('error', reject)
    return promise
  }

  return {
    follow: async (client_id) => {
      while (!stopping.signal.aborted) {
        const last = (await readEvents(client_id)).at(-1)
        if (last === undefined) continue
        after.set(client_id, last.event_number)
        received.get(client_id)?.()
      }
    },
    next: (client_id) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      received.set(client_id, resolve)
      return promise
    },
    stop: () => stopping.abort(),
    disconnect: () => agent.destroy(),
  }
}

async function lastEvents(session: Client): Promise<Map<number, number>> {
  const { rows } = await session.query<{ client_id: number; event_number: number }>(
    'select client_id::float8, event_number::float8 from clients',
  )
  return new Map(rows.map(({ client_id, event_number }) => [client_id, event_number]))
}

/** Writes an event in the same way as the statements of the service. */
async function writeEvent(session: Client, client_id: number): Promise<void> {
  await session.query(
    `with numbered as (
       update clients set event_number = event_number + 1,
         event_transaction = greatest(event_transaction, pg_current_xact_id())
       where client_id = $1 returning client_id, event_number, event_transaction)
     insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
     select event_transaction, client_id, event_number, 'client.changed', '{}', 'bench', 'bench' from numbered`,
    [client_id],
  )
}

/** Per second, over a few seconds without events. */
async function usage(session: Client, { pid }: ServiceProcess): Promise<{ statements: number; cpuMs: number }> {
  const [commitsBefore, ticksBefore] = [await countCommits(session), cpuTicks(pid)]
  await sleep(quietSeconds * 1000)
  return {
    statements: ((await countCommits(session)) - commitsBefore - 3) / quietSeconds, // Three are our own.
    cpuMs: (((cpuTicks(pid) - ticksBefore) / ticksPerSecond) * 1000) / quietSeconds,
  }
}

async function countCommits(session: Client): Promise<number> {
  await session.query('select pg_stat_clear_snapshot()')
  const { rows } = await session.query<{ commits: number }>(
    'select xact_commit::float8 as commits from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.commits ?? 0
}

async function countConnections(session: Client): Promise<number> {
  const { rows } = await session.query<{ connections: number }>(
    `select count(*)::float8 as connections from pg_stat_activity
     where datname = current_database() and application_name = 'parts'`,
  )
  return rows[0]?.connections ?? 0
}
