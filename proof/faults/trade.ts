/** An installation that trades while the commands of a page are run on its servers: two API processes, a worker, dealers, readers. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Cluster } from 'pg-statements/testing-cluster.ts'
import { openBalancer } from '../../apps/service/src/testing/network/balancer.ts'
import { startReceiver } from '../../apps/service/src/testing/network/receiver.ts'
import { eventually, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { checkHistory } from './check-history.ts'
import { runDealer } from './dealer.ts'
import { newHistory, type History, type SeenEvent } from './history.ts'
import { createWebhook, fill, scarceItem, scarceOnHand, stopProcess } from './installation.ts'
import { readStored } from './read-stored.ts'
import { followClientEvents, followOperatorEvents, readWebhooks } from './readers.ts'
import { openRequests } from './requests.ts'
import { retryable } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'
import { currentVersion } from './versions.ts'

const clientCount = 4
const pauseMs = 60 // Between two orders of a client.

const root = join(import.meta.dirname, '../..')

export const serverOf = ({ url }: Cluster): string => url.replace(/\/postgres$/, '')
export const partsOf = (cluster: Cluster): string => `${serverOf(cluster)}/parts`

/** The commands of a page, block by block. */
export const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, code = '']) => code)

/** The names in the block that sets the variables of a page. */
export const namesIn = (variables: string): string[] =>
  [...variables.matchAll(/(?:^| )([A-Z]+)=/g)].map(([, name = '']) => name).toSorted()

export async function runBlock(
  code: string | undefined,
  variables: Readonly<Record<string, string>>,
  account?: { readonly uid: number; readonly gid: number },
): Promise<void> {
  assert(code !== undefined)
  await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', code], {
    cwd: account === undefined ? root : tmpdir(),
    env: { PATH: process.env['PATH'], HOME: tmpdir(), ...variables },
    ...account,
  })
}

export async function query<R extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC' })
  await client.connect()
  try {
    return (await client.query<R>(sql, values)).rows
  } finally {
    await client.end()
  }
}

export interface Trade {
  /** Starts the processes, or replaces them one after the other, as in any upgrade. */
  readonly replaceProcesses: (databaseUrl: string) => Promise<void>
  /** Waits until each client has got an order acknowledged that it sends from now on. */
  readonly everybodyOrders: () => Promise<void>
  /** Between two orders, of which the second was acknowledged after that moment. */
  readonly longestPause: (after: number) => number
  /** Ends the orders, and compares what clients and readers saw with what the server has. */
  readonly finish: (cluster: Cluster) => Promise<{ readonly orders: number; readonly repeated: number }>
  readonly answers: () => string
}

export async function startTrade(
  seed: string,
  cluster: Cluster,
  databaseUrl: string,
  stack: AsyncDisposableStack,
): Promise<Trade> {
  const queryIn = <R extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]> =>
    query<R>(partsOf(cluster), sql, values)
  const { clients, operatorKey } = await fill(await currentVersion(), partsOf(cluster), queryIn, clientCount)
  const balancer = await openBalancer()
  stack.defer(() => balancer.close())
  const receiver = await startReceiver()
  stack.defer(() => receiver.close())
  const running: Running[] = []
  stack.defer(() => running.forEach(({ child }) => child.kill('SIGKILL')))

  async function replaceProcesses(url: string): Promise<void> {
    for (const [n, command] of ['api', 'api', 'worker'].entries()) {
      const next = await startProcess(command, { ...settings, DATABASE_URL: url })
      const previous = running[n]
      running[n] = next
      if (command === 'api') await balancer.add(next.address)
      if (previous === undefined) continue
      await stopProcess(previous, 'SIGTERM')
      balancer.remove(previous.address)
    }
  }
  await replaceProcesses(databaseUrl)
  for (const { key, client_id } of clients) await createWebhook(balancer.url, key, `${receiver.url}/${client_id}`)

  const history = newHistory()
  const random = seededRandom(seed)
  const over = { orders: false, events: false }
  const requests = openRequests(balancer.url, history, () => over.events)
  const dealers = clients.map((client) =>
    runDealer({ client, requests, history, random, isStopped: () => over.orders, pauseMs }),
  )
  const readers = [
    ...clients.map((client) => followClientEvents(client, requests, history, () => over.events)),
    followOperatorEvents(operatorKey, requests, history, () => over.events),
  ]
  stack.defer(async () => {
    over.orders = over.events = true
    await Promise.all([...dealers, ...readers])
  })

  async function everybodyOrders(): Promise<void> {
    const now = performance.now()
    await eventually(async () =>
      clients.every(({ client_id }) =>
        history.orders.some((order) => order.client_id === client_id && (order.acknowledged?.at ?? 0) > now),
      ),
    )
  }

  async function finish(last: Cluster): Promise<{ orders: number; repeated: number }> {
    over.orders = true
    await Promise.all(dealers)
    const stored = await readStored({
      query: (sql, values) => query(partsOf(last), sql, values),
      onHand: new Map([[scarceItem, scarceOnHand]]),
    })
    const deliveries = newHistory()
    const seen = (): History['events'] => {
      deliveries.events.webhook.length = 0
      readWebhooks(receiver, deliveries)
      return { ...history.events, webhook: deliveries.events.webhook }
    }
    const lastSeen = (events: readonly SeenEvent[], id: number): number | undefined =>
      events.findLast(({ client_id }) => client_id === id)?.event_number
    await eventually(async () =>
      Object.values(seen()).every((events) =>
        clients.every(({ client_id }) => lastSeen(events, client_id) === stored.lastEvents.get(client_id)),
      ),
    )
    assert.deepEqual(checkHistory({ ...history, events: seen() }, stored, { allowed: retryable }), [])
    assert.deepEqual(balancer.broken, [])
    const acknowledged = history.orders.filter((order) => order.acknowledged !== undefined)
    return {
      orders: acknowledged.length,
      repeated: acknowledged.filter(({ sendings }) => sendings.length > 1).length,
    }
  }

  function longestPause(after: number): number {
    const times = history.orders.flatMap(({ acknowledged }) => acknowledged?.at ?? []).toSorted((a, b) => a - b)
    return Math.max(...times.map((at, n) => (at > after ? at - (times[n - 1] ?? after) : 0)))
  }
  await everybodyOrders()
  return {
    replaceProcesses,
    everybodyOrders,
    longestPause,
    finish,
    answers: () => JSON.stringify(Object.fromEntries(history.answers)),
  }
}

const settings = {
  PORT: '0',
  METRICS_PORT: '0',
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  RATE_LIMIT: 'off',
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  WEBHOOK_LEASE_MS: '3000',
  SHUTDOWN_DELAY_MS: '1000',
  LOG_LEVEL: 'info',
}
