/** How fast events arrive: on an idle system, and at many endpoints of which one hangs on every request. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSecret } from '../signature.ts'
import { eventually, startProcess, type Running } from '../../testing/process.ts'
import { percentile } from '../../testing/percentile.ts'
import { startReceiver, type Receiver } from '../../testing/network/receiver.ts'
import { startService, type TestService } from '../../testing/service.ts'

const endpoints = Number(process.env['WEBHOOK_ENDPOINTS'] ?? 1_000)
const eventsPerSecond = Number(process.env['WEBHOOK_EVENTS_PER_SECOND'] ?? 100)
const seconds = Number(process.env['WEBHOOK_SECONDS'] ?? 5)
const idleEvents = 60
const tickMs = 20
// The scan reads 1,000 endpoints every 500 ms. With these, which are paused, a round takes more than 20 seconds.
const pausedEndpoints = 40_000
const hangMs = 15_000 // After this time the worker gives up on a request.

let service: TestService
let receiver: Receiver
let worker: Running
let clients: number[]
/** When each event was committed, by client and event number. */
const committed = new Map<string, number>()

before(async () => {
  service = await startService()
  receiver = await startReceiver((got, response) => {
    if (got.path !== hanging()) response.writeHead(204).end()
  })
  const made = await service.sql(
    `with client as (insert into clients (client_name, webhook_count) select 'Dealer ' || n, 1 from generate_series(1, $1::integer) n returning client_id)
     insert into webhooks (client_id, url, secret, delivered_event_number) select client_id, $2 || '/' || client_id, $3, 0 from client returning client_id`,
    [endpoints, receiver.url, makeSecret()],
  )
  clients = made.map(({ client_id }) => Number(client_id))
  await service.sql(
    `with client as (insert into clients (client_name, webhook_count) select 'Paused ' || n, 1 from generate_series(1, $1::integer) n returning client_id)
     insert into webhooks (client_id, url, secret, delivered_event_number, paused_reason, paused_at) select client_id, $2, $3, 0, 'owner', now() from client`,
    [pausedEndpoints, receiver.url, makeSecret()],
  )
  worker = await startProcess('worker', {
    DATABASE_URL: service.databaseUrl,
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
  })
})
after(async () => {
  const exit = once(worker.child, 'exit')
  worker.child.kill('SIGKILL')
  await exit
  receiver.close()
  await service.close()
})

const hanging = (): string => `/${clients[0]}`

/** Records one event for each of the clients, in one statement. */
async function recordEvents(ofClients: readonly number[]): Promise<void> {
  const rows = await service.sql(
    `with numbered as (
       update clients set event_number = event_number + 1, event_transaction = greatest(event_transaction, event_position(pg_current_xact_id()))
       where client_id = any($1) returning client_id, event_number, event_transaction)
     insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
     select event_transaction, client_id, event_number, 'cart.marked', '{}', 'the tests', 'test' from numbered
     returning client_id, event_number`,
    [ofClients],
  )
  const now = performance.now()
  for (const { client_id, event_number } of rows) committed.set(`${String(client_id)} ${String(event_number)}`, now)
}

/** Milliseconds from commit to receiver, ascending, of the messages from this index on. */
function lags(firstMessage: number): number[] {
  return receiver.received
    .slice(firstMessage)
    .filter(({ path }) => path !== hanging())
    .map(({ path, body, at }) => {
      const { event_number } = (JSON.parse(body) as { data: { event_number: number } }).data
      const committedAt = committed.get(`${path.slice(1)} ${event_number}`)
      assert(committedAt !== undefined, `${path} received event ${event_number}, which was not recorded.`)
      return at - committedAt
    })
    .toSorted((a, b) => a - b)
}

test('on an idle system polling delivers an event long before the scan would find it', async (t) => {
  const firstMessage = receiver.received.length
  for (let n = 0; n < idleEvents; n++) {
    await recordEvents([clients[1 + (n % (clients.length - 1))] ?? 0])
    await sleep(30 + Math.random() * 50)
  }
  await eventually(async () => receiver.received.length >= firstMessage + idleEvents)
  const sorted = lags(firstMessage)
  t.diagnostic(`idle: p50 ${percentile(sorted, 0.5).toFixed()} ms, p99 ${percentile(sorted, 0.99).toFixed()} ms`)
  // Found by the scan alone, an event would take more than 10 seconds at the median. About 35 ms on a quiet machine.
  assert(percentile(sorted, 0.5) < 2_500, `p50 ${percentile(sorted, 0.5).toFixed()} ms`)
})

test(`${endpoints} endpoints, one of which hangs: the others do not wait for it`, { timeout: 1_800_000 }, async (t) => {
  const firstMessage = receiver.received.length
  await recordEvents(clients.slice(0, 1))
  let sent = 0
  const started = performance.now()
  for (let tick = 1; tick * tickMs <= seconds * 1_000; tick++) {
    const due = Math.floor((eventsPerSecond * tick * tickMs) / 1_000) - sent
    const ofClients = Array.from({ length: due }, (_, n) => clients[1 + (((sent + n) * 7) % (clients.length - 1))] ?? 0)
    if (ofClients.length > 0) await recordEvents(ofClients)
    sent += due
    await sleep(Math.max(0, started + tick * tickMs - performance.now()))
  }
  const took = (performance.now() - started) / 1_000
  await eventually(async () => lags(firstMessage).length >= sent)
  const sorted = lags(firstMessage)
  t.diagnostic(
    `${endpoints} endpoints, ${Math.round(sent / took)} events/s: p50 ${percentile(sorted, 0.5).toFixed()} ms, p99 ${percentile(sorted, 0.99).toFixed()} ms, slowest ${percentile(sorted, 1).toFixed()} ms`,
  )
  assert(
    receiver.received.some(({ path }) => path === hanging()),
    'The hanging endpoint received nothing.',
  )
  // Events that waited for the hanging request would take up to its whole time. About 85 ms on a quiet machine.
  assert(percentile(sorted, 0.99) < hangMs / 2, `p99 ${percentile(sorted, 0.99).toFixed()} ms`)
})
