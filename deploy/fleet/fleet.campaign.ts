/**
 * A distributor moves between two servers while clients order, and back, again and again. The command is killed at steps
 * and moments that the seed draws, and run again. At the end every order that was acknowledged exists exactly once, in
 * the database that the proxy leads to, and every reader of events has seen each number once and in order.
 * `MOVES=100 SEED=… node --test deploy/fleet/fleet.campaign.ts` for more.
 */
import assert from 'node:assert/strict'
import https from 'node:https'
import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { withoutPrograms, type Cluster } from 'pg-statements/testing-cluster.ts'
import { percentile } from '../../apps/service/src/testing/percentile.ts'
import { startReceiver } from '../../apps/service/src/testing/network/receiver.ts'
import { eventually } from '../../apps/service/src/testing/process.ts'
import { checkHistory } from '../../proof/faults/check-history.ts'
import { runDealer } from '../../proof/faults/dealer.ts'
import { newHistory, type History, type SeenEvent } from '../../proof/faults/history.ts'
import { createWebhook, fill, scarceItem, scarceOnHand } from '../../proof/faults/installation.ts'
import { readStored, violatedInvariants } from '../../proof/faults/read-stored.ts'
import { followClientEvents, followOperatorEvents, readWebhooks } from '../../proof/faults/readers.ts'
import { openRequests } from '../../proof/faults/requests.ts'
import { retryable } from '../../proof/faults/scenario.ts'
import { seededRandom } from '../../proof/faults/seeded-random.ts'
import { currentVersion } from '../../proof/faults/versions.ts'
import { readDistributor } from './directory.ts'
import { openTestFleet, type TestFleet } from './testing-fleet.ts'

const moveCount = Number(process.env['MOVES'] ?? 10)
const seed = process.env['SEED'] ?? 'fleet'
const fillerMb = Number(process.env['MEGABYTES'] ?? 0)
const clientCount = 4
const pauseMs = 60 // Between two orders of a client.
const killPart = 0.85 // Of all runs of the command.
const killDelayMaxMs = 300
const host = 'acme.example'

let fleet: TestFleet
before(async () => {
  if (withoutPrograms !== false) return
  const webhooks = { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true', WEBHOOK_LEASE_MS: '3000' }
  fleet = await openTestFleet(webhooks)
})
after(() => fleet?.close())

const queryIn =
  (cluster: Cluster) =>
  async <R extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<R[]> => {
    const client = new pg.Client({ connectionString: urlIn(cluster), options: '-c TimeZone=UTC' })
    await client.connect()
    try {
      return (await client.query<R>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
const urlIn = (cluster: Cluster): string => cluster.url.replace(/\/postgres$/, '/acme')

test('a distributor moves under load, with kills: each order exists once, and events have no gap', { skip: withoutPrograms }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const created = await fleet.run(['create', 'acme', '--host', host, '--server', 'a'])
  assert.equal(created.code, 0, created.errors)
  const { clients, operatorKey } = await fill(await currentVersion(), urlIn(fleet.clusters.a), queryIn(fleet.clusters.a), clientCount) // prettier-ignore
  if (fillerMb > 0) await addFiller(fillerMb)
  const door = await openDoor()
  stack.defer(() => door.close())
  const receiver = await startReceiver()
  stack.defer(() => receiver.close())
  for (const { key, client_id } of clients) await createWebhook(door.url, key, `${receiver.url}/${client_id}`)

  const history = newHistory()
  const random = seededRandom(seed)
  const over = { orders: false, events: false }
  const requests = openRequests(door.url, history, () => over.events)
  const dealers = clients.map((client) =>
    runDealer({ client, requests, history, random: seededRandom(`${seed} ${client.client_id}`), isStopped: () => over.orders, pauseMs }),
  ) // prettier-ignore
  const readers = [
    ...clients.map((client) => followClientEvents(client, requests, history, () => over.events)),
    followOperatorEvents(operatorKey, requests, history, () => over.events),
  ]
  stack.defer(async () => {
    over.orders = over.events = true
    await Promise.all([...dealers, ...readers])
  })
  const everybodyOrders = async (): Promise<void> => {
    const now = performance.now()
    await eventually(async () =>
      clients.every(({ client_id }) =>
        history.orders.some((order) => order.client_id === client_id && (order.acknowledged?.at ?? 0) > now),
      ),
    )
  }
  await everybodyOrders()

  const kills = new Map<string, number>()
  const [smoothPauses, killedPauses, moveSeconds]: [number[], number[], number[]] = [[], [], []]
  const stepMs = new Map<string, number[]>()
  let [undone, back] = [0, 0]
  /** Runs the command until it is through. It is killed at a drawn step, a drawn time after its beginning. */
  const untilDone = async (args: readonly string[], withKills: boolean): Promise<void> => {
    for (;;) {
      const isKilled = withKills && random() < killPart
      const at = { step: Math.floor(random() * 10), afterMs: Math.floor(random() * killDelayMaxMs) }
      const { code, steps, times, errors } = await fleet.run(args, isKilled ? at : undefined)
      if (!isKilled)
        for (const [n, step] of steps.slice(0, -1).entries())
          stepMs.set(step, [...(stepMs.get(step) ?? []), (times[n + 1] ?? 0) - (times[n] ?? 0)])
      if (code === 0) return
      if (code === null) kills.set(steps.at(-1) ?? '', (kills.get(steps.at(-1) ?? '') ?? 0) + 1)
      else assert.fail(errors)
    }
  }

  for (let n = 0; n < moveCount; n++) {
    const { server, follower } = readDistributor(fleet, 'acme')
    const to = server === 'a' ? 'b' : 'a'
    const withKills = n % 2 === 1 // Every second one shows how long a pause is that nobody interrupts.
    if (follower !== undefined && random() < 0.5) await untilDone(['confirm', 'acme'], withKills)
    else if (follower !== undefined) back++
    if (withKills && random() < 0.3) {
      await fleet.run(['move', 'acme', '--to', to], { step: 4 + Math.floor(random() * 7), afterMs: Math.floor(random() * killDelayMaxMs) }) // prettier-ignore
      const step = readDistributor(fleet, 'acme').move?.step
      if (step === 'copy' || step === 'start' || step === 'fence') {
        await untilDone(['move', 'acme', '--undo'], false)
        undone++
        await everybodyOrders()
      }
    }
    const begun = performance.now()
    await untilDone(['move', 'acme', '--to', to], withKills)
    const ended = performance.now()
    await everybodyOrders()
    moveSeconds.push((ended - begun) / 1_000)
    ;(withKills ? killedPauses : smoothPauses).push(longestPause(history, begun))
  }
  over.orders = true
  await Promise.all(dealers)

  const home = fleet.clusters[readDistributor(fleet, 'acme').server as 'a' | 'b']
  const stored = await readStored({ query: queryIn(home), onHand: new Map([[scarceItem, scarceOnHand]]) })
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
  assert.deepEqual(await violatedInvariants({ databaseUrl: urlIn(home) }), [])
  // In one place: the other server has a copy that only follows, or nothing.
  await untilDone(['confirm', 'acme'], false)
  const other = home === fleet.clusters.a ? fleet.clusters.b : fleet.clusters.a
  const { rows } = await other.query(`select datname from pg_database where datname = 'acme'`)
  assert.deepEqual(rows, [])

  const acknowledged = history.orders.filter((order) => order.acknowledged !== undefined)
  const killed = [...kills.values()].reduce((sum, count) => sum + count, 0)
  const figures = (values: readonly number[]): string =>
    values.length === 0 ? 'none' : `p50 ${Math.round(percentile(values, 0.5))}, p95 ${Math.round(percentile(values, 0.95))}, max ${Math.round(Math.max(...values))}` // prettier-ignore
  t.diagnostic(`seed ${seed}: ${moveCount} moves (${back} of them back), ${undone} undone, ${killed} kills, ${acknowledged.length} orders`)
  t.diagnostic(`kills: ${JSON.stringify(Object.fromEntries(kills))}`)
  t.diagnostic(`seconds of a move: ${figures(moveSeconds)}`)
  t.diagnostic(`longest pause without an order, ms: ${figures(smoothPauses)}; with kills: ${figures(killedPauses)}`)
  t.diagnostic(`ms of each step, median: ${[...stepMs].map(([step, ms]) => `${step} ${percentile(ms, 0.5)}`).join(', ')}`)
  t.diagnostic(JSON.stringify(Object.fromEntries(history.answers)))
}) // prettier-ignore

/** Between two orders, of which the second was acknowledged after that moment. */
function longestPause({ orders }: History, after: number): number {
  const times = orders.flatMap(({ acknowledged }) => acknowledged?.at ?? []).toSorted((a, b) => a - b)
  return Math.max(...times.map((at, n) => (at > after ? at - Math.max(times[n - 1] ?? after, after) : 0)))
}

/** Rows that make the database larger: what a move copies and compares. */
async function addFiller(megabytes: number): Promise<void> {
  await queryIn(fleet.clusters.a)(
    `insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select product_id, brand_id, 'FILL' || n, n, repeat(md5(n::text), 6)
     from generate_series(1, $1::int) n, (select product_id, brand_id from items limit 1) one`,
    [megabytes * 2_000],
  )
}

/** The proxy, for clients that know neither its certificate nor the name of the host. */
async function openDoor(): Promise<{ url: string; close: () => Promise<void> }> {
  const agent = new https.Agent({ keepAlive: true, ca: fleet.ca, maxSockets: 64 })
  const server = http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const { connection: _, ...headers } = request.headers
    const options = { host: 'localhost', servername: 'localhost', port: fleet.proxyPort, family: 4, agent }
    const { method, url: path } = request
    const upstream = https.request({ ...options, method, path, headers: { ...headers, host } }, (answer) => {
      const { connection: __, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 0, rest)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await sleep(0)
    },
  }
}
