/** What arrives at an endpoint, and what happens if the endpoint does not accept it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { startWebhookDelivery, type RunningWebhookDelivery } from './deliver-webhooks.ts'
import { resolveBySystem } from '../public-address.ts'
import { makeSecretBox } from '../secrets/secret-box.ts'
import { sweepWebhookDeliveries } from './sweep-webhook-deliveries.ts'
import { readConfig, type Config } from '../../config.ts'
import { expireEvents } from '../../events/expiry/expire-events.ts'
import { makeLogger } from '../../log.ts'
import { happenSql } from '../../testing/network/endpoints.ts'
import { makeOperators } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import {
  numberOf,
  startReceiver,
  type Answering,
  type Received,
  type Receiver,
} from '../../testing/network/receiver.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

const settings = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  SERVICE_TIME_ZONE: 'America/St_Johns', // Its offset is not a whole hour.
  STATE_LABELS: '{"new":"Neu"}',
  WEBHOOK_SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
}

let service: TestService
let delivery: RunningWebhookDelivery
let receivers: Receiver[] = []

before(async () => {
  service = await startService({ settings })
  await addFixtures(service)
  delivery = deliverHere()
})
afterEach(() => {
  for (const receiver of receivers) receiver.close()
  receivers = []
})
after(async () => {
  await delivery.stop()
  await service.checkInvariants()
  await service.close()
})

/** How often the pending events of each client were read. */
const reads = new Map<unknown, number>()

const countingRows: TestService['db']['rows'] = (statement, values) => {
  const { client_ids } = values
  if (statement.name === 'read-pending-events' && Array.isArray(client_ids))
    for (const client_id of client_ids) reads.set(client_id, (reads.get(client_id) ?? 0) + 1)
  return service.db.rows(statement, values)
}

const config = (): Config => readConfig({ ...settings, DATABASE_URL: service.databaseUrl })

const deliverHere = (timeoutMs = 120_000): RunningWebhookDelivery =>
  startWebhookDelivery({
    db: Object.assign(Object.create(service.db), { rows: countingRows }),
    timeoutMs,
    logger: makeLogger('silent'),
    policy: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    box: makeSecretBox(config().webhookSecretKeys),
    stateLabels: config().stateLabels,
    leaseMs: 60_000, // A slow machine must not lose a lease: the event would come twice.
  })

interface Made {
  readonly client: TestClient
  readonly shop: ReturnType<typeof shopper>
  readonly webhook_id: number
  readonly secret: string
  readonly received: Received[]
  readonly happen: (count?: number, type?: string) => Promise<void>
  readonly read: () => Promise<any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
  readonly log: () => Promise<any[]> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
}

async function endpoint(answer?: Answering, form: Record<string, string> = {}): Promise<Made> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  const client = await addClient(service)
  const shop = shopper(service, client)
  const { webhook_id, secret } = await shop.ok('PUT', '/api/v1/webhooks/', { url: `${receiver.url}/hook?a=1`, ...form })
  return {
    client,
    shop,
    webhook_id,
    secret,
    received: receiver.received,
    happen: async (count = 1, type = 'cart.marked') =>
      void (await service.sql(happenSql, [client.client_id, count, type])),
    read: () => shop.ok('GET', `/api/v1/webhooks/${webhook_id}/`),
    log: () => shop.ok('GET', `/api/v1/webhooks/${webhook_id}/deliveries/`),
  }
}

const numbers = ({ received }: Made): number[] => received.map(numberOf)

/** A failing endpoint sends it, so that a retry comes only when the test makes it due. */
const retryLater = { 'retry-after': '21600' }

/** Makes the retry due now. */
const retryNow = ({ webhook_id }: Made): Promise<unknown> =>
  service.sql('update webhooks set next_attempt_at = now() where webhook_id = $1', [webhook_id])

const verified = ({ headers, body }: Received, secret: string): unknown =>
  new Verifier(secret).verify(body, headers as Record<string, string>)

test('an order arrives as an event in the form of the specification, and the reference library verifies its signature', async () => {
  const made = await endpoint()
  const cart_id = await made.shop.createCart()
  await made.shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await made.shop.order(cart_id)
  await eventually(async () => made.received.length === 1)
  const [got] = made.received
  assert(got)
  const message = verified(got, made.secret) as Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
  assert.deepEqual(Object.keys(message), ['type', 'timestamp', 'data'])
  assert.equal(message['type'], 'order.created')
  assert.match(message['timestamp'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const { data, event_datetime, ...event } = message['data']
  assert.deepEqual(event, { event_number: 3, event_type: 'order.created', order_id })
  assert.match(event_datetime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.equal(typeof data, 'object')
  assert.equal(got.headers['webhook-id'], `evt_${made.webhook_id}_3`)
  assert.equal(got.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(got.path, '/hook?a=1')
  await eventually(async () => (await made.read()).delivered_event_number === 3)
  const [entry] = await made.log()
  assert.deepEqual([entry.event_number, entry.event_type, entry.attempt, entry.status, entry.error], [3, 'order.created', 1, 204, null]) // prettier-ignore
})

test('the reference library rejects a changed byte, an old timestamp and a foreign secret', async () => {
  const made = await endpoint()
  await made.happen()
  await eventually(async () => made.received.length === 1)
  const [got] = made.received
  assert(got)
  verified(got, made.secret)
  assert.throws(() => verified({ ...got, body: got.body.replace('order', 'Order') }, made.secret), /No matching/)
  const old = { ...got.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 3_600) }
  assert.throws(() => verified({ ...got, headers: old }, made.secret), /too old/)
  assert.throws(
    () => verified(got, (new Verifier(made.secret), `whsec_${Buffer.alloc(24).toString('base64')}`)),
    /No matching/,
  )
})

test('after a rotation both secrets verify messages, and a day later only the new one', async () => {
  const made = await endpoint()
  const { secret: newSecret } = await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/rotate-secret/`)
  assert.notEqual(newSecret, made.secret)
  await made.happen()
  await eventually(async () => made.received.some((got) => numberOf(got) === 4))
  const both = made.received.at(-1)
  assert(both)
  verified(both, made.secret)
  verified(both, newSecret)
  // The worker reads the secrets at the beginning of a turn: the one that delivered this event must have ended.
  const turns = `select from webhooks where webhook_id = $1 and lease is not null`
  await eventually(async () => (await service.sql(turns, [made.webhook_id])).length === 0)
  await service.sql(`update webhooks set previous_secret_until = now() where webhook_id = $1`, [made.webhook_id])
  await made.happen()
  await eventually(async () => made.received.some((got) => numberOf(got) === 5))
  const last = made.received.at(-1)
  assert(last)
  verified(last, newSecret)
  assert.throws(() => verified(last, made.secret), /No matching/)
})

test('a thousand events arrive in order and each once when nothing fails', async () => {
  const made = await endpoint()
  for (let n = 0; n < 10; n++) await made.happen(100)
  await eventually(async () => (await made.read()).delivered_event_number === 1_002)
  assert.deepEqual(
    numbers(made),
    Array.from({ length: 1_000 }, (_, n) => n + 3),
  )
})

test('only the requested types are sent; the position skips the others, and the delivery log has no entry for them', async () => {
  const made = await endpoint(undefined, { event_types: 'cart.marked,contact.changed' })
  await made.happen(45, 'client.changed')
  await made.happen(1, 'contact.changed')
  await made.happen(45, 'client.changed')
  await eventually(async () => (await made.read()).delivered_event_number === 93)
  assert.deepEqual(numbers(made), [48])
  assert.equal((await made.log()).length, 1)
})

test('a response that is not 2xx, including a redirect, is retried later, and later events wait for it', async () => {
  for (const status of [500, 404, 302, 400, 429]) {
    let failing = true
    const made = await endpoint((_, response) => void response.writeHead(failing ? status : 200, { location: 'http://127.0.0.1:1/', ...retryLater }).end()) // prettier-ignore
    await made.happen(2)
    await eventually(async () => (await made.read()).attempts === 1)
    const { delivered_event_number, last_failure, next_attempt_at, failing_since } = await made.read()
    assert.deepEqual([delivered_event_number, last_failure], [2, String(status)])
    assert(next_attempt_at !== null && failing_since !== null)
    failing = false
    await retryNow(made)
    await eventually(async () => (await made.read()).delivered_event_number === 4)
    assert.deepEqual(numbers(made), [3, 3, 4])
    assert.deepEqual((await made.log()).map(({ attempt, status: got }) => [attempt, got]), [[1, 200], [2, 200], [1, status]]) // prettier-ignore
    const healthy = await made.read()
    assert.deepEqual([healthy.attempts, healthy.failing_since, healthy.last_failure, healthy.next_attempt_at], [0, null, null, null]) // prettier-ignore
  }
})

test('Retry-After is honoured', async () => {
  const made = await endpoint((_, response) => void response.writeHead(429, { 'retry-after': '1800' }).end())
  await made.happen()
  await eventually(async () => (await made.read()).attempts === 1)
  const [row] = await service.sql(
    'select extract(epoch from next_attempt_at - now())::integer as seconds from webhooks where webhook_id = $1',
    [made.webhook_id],
  )
  assert(Number(row?.['seconds']) > 1_700 && Number(row?.['seconds']) <= 1_800, JSON.stringify(row))
})

test('a lost and a refused connection are reported as connection_lost and not_reachable', async () => {
  const cut = await endpoint((_, response) => void response.destroy())
  await cut.happen()
  await eventually(async () => (await cut.read()).last_failure === 'connection_lost')
  const refused = await endpoint()
  receivers.at(-1)?.close()
  await refused.happen()
  await eventually(async () => (await refused.read()).last_failure === 'not_reachable')
})

test('messages equal GET /api/v1/events/: orders, adjustments, and no internal data of the distributor', async () => {
  const operators = await makeOperators(service)
  const made = await endpoint()
  const { shop, client } = made
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const order_id = await shop.order(cart_id)
  const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 2 })
  const [{ adjustment_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/`)
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  const [{ contract_id }] = await shop.ok('GET', '/api/v1/contracts/')
  await operators.ok('PATCH', `/operator/v1/clients/${client.client_id}/contracts/${contract_id}/`, {
    price_list_id: 1,
    contract_name: 'Other terms',
  })
  await shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/rotate-secret/`)
  const types = [
    'order.created', 'adjustment.created', 'order.items_changed', 'adjustment.decided', 'order.state_changed', 'contract.changed', 'webhook.changed',
  ] // prettier-ignore
  await eventually(async () => new Set(numbers(made)).size === types.length)
  const once = new Map(made.received.map((got) => [numberOf(got), got])) // After a change of the endpoint, an event in flight comes again.
  const messages = [...once.values()].map(({ body }) => JSON.parse(body) as Record<string, any>) // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
  assert.deepEqual(messages.map(({ type }) => type as string), types) // prettier-ignore
  const first = numbers(made)[0] ?? 0
  assert.deepEqual(
    messages.map(({ data }) => data as object),
    await shop.ok('GET', `/api/v1/events/?after=${first - 1}`),
  )
  assert.equal(messages[0]?.['data'].data.order_history[0].value, 'Neu')
  assert.deepEqual(messages[5]?.['data'].data, { contract_id, contract_name: 'Other terms' })
})

test('410 pauses the endpoint at once and records an event; resuming continues with the same event', async () => {
  let gone = true
  const made = await endpoint((_, response) => void response.writeHead(gone ? 410 : 200).end())
  await made.happen(3)
  await eventually(async () => !(await made.read()).active)
  const { paused_reason, last_failure } = await made.read()
  assert.deepEqual([paused_reason, last_failure], ['gone', '410'])
  const recorded = await service.sql(
    `select data, actor from events where client_id = $1 and event_type = 'webhook.paused'`,
    [made.client.client_id],
  )
  assert.deepEqual(recorded, [
    { data: { webhook_id: made.webhook_id, paused_reason: 'gone', paused_text: '410' }, actor: 'worker' },
  ])
  gone = false
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/resume/`)
  await eventually(async () => (await made.read()).delivered_event_number === 7)
  assert.deepEqual(numbers(made), [3, 3, 4, 5, 6, 7])
})

test('an endpoint is paused, with the reason, after three days of failures and not before', async () => {
  const made = await endpoint((_, response) => void response.writeHead(503, retryLater).end())
  await made.happen()
  await eventually(async () => (await made.read()).attempts === 1)
  const since = (ago: string): Promise<unknown> =>
    service.sql('update webhooks set failing_since = now() - $2::interval, next_attempt_at = now() where webhook_id = $1', [made.webhook_id, ago]) // prettier-ignore
  await since('71 hours')
  await eventually(async () => (await made.read()).attempts === 2)
  assert.equal((await made.read()).active, true)
  await since('73 hours')
  await eventually(async () => (await made.read()).attempts === 3)
  const { active, paused_reason, last_failure } = await made.read()
  assert.deepEqual([active, paused_reason, last_failure], [false, 'failing', '503'])
})

test('replay sends all events from a number on again, with the same ids', async () => {
  const made = await endpoint()
  await made.happen(3)
  await eventually(async () => (await made.read()).delivered_event_number === 5)
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/replay/`, { from_event_number: 4 })
  await eventually(async () => (await made.read()).delivered_event_number === 6)
  assert.deepEqual(numbers(made), [3, 4, 5, 4, 5, 6])
  assert.equal(made.received[3]?.headers['webhook-id'], made.received[1]?.headers['webhook-id'])
})

test('events about an endpoint contain only the origin of its URL, because the rest may contain a token', async () => {
  const made = await endpoint()
  const { origin } = new URL((await made.read()).url)
  const secret = `${origin}/hooks/T0K3N?token=T0K3N`
  const { webhook_id } = await made.shop.ok('PUT', '/api/v1/webhooks/', { url: secret, event_types: 'order.archived' })
  const { url } = await made.shop.ok('PATCH', `/api/v1/webhooks/${webhook_id}/`, { url: `${secret}2` })
  assert.equal(url, `${secret}2`)
  await made.shop.ok('DELETE', `/api/v1/webhooks/${webhook_id}/`)
  await eventually(async () => made.received.length === 3)
  const sent = made.received.map(({ body }) => (JSON.parse(body) as { data: { data: unknown } }).data.data)
  assert.deepEqual(sent, [
    { webhook_id, origin, event_types: ['order.archived'] },
    { webhook_id, origin },
    { webhook_id, origin },
  ])
  const stored = await service.sql('select data::text from events where client_id = $1', [made.client.client_id])
  assert(!JSON.stringify(stored).includes('T0K3N'))
})

test('a paused endpoint receives only test events, and no event is lost when it is resumed', async () => {
  const made = await endpoint()
  await made.shop.ok('PATCH', `/api/v1/webhooks/${made.webhook_id}/`, { active: 'false' })
  await made.happen(2)
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/test/`)
  await eventually(async () => (await made.log()).length === 1)
  const [got] = made.received
  assert(got)
  assert.deepEqual((verified(got, made.secret) as { type: string }).type, 'webhook.test')
  const [entry] = await made.log()
  assert.deepEqual([entry.event_number, entry.event_type, entry.status], [null, 'webhook.test', 204])
  assert.equal(made.received.length, 1)
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/resume/`)
  await eventually(async () => (await made.read()).delivered_event_number === 6)
  assert.deepEqual(numbers(made).slice(1), [3, 4, 5, 6])
})

test('expired events are skipped, with one entry in the delivery log', async () => {
  const made = await endpoint()
  await made.shop.ok('PATCH', `/api/v1/webhooks/${made.webhook_id}/`, { active: 'false' })
  await made.happen(3)
  await service.sql(`update events set event_datetime = now() - interval '91 days'`)
  await service.sql(`update orders set order_create_datetime = now() - interval '92 days'`)
  await Array.fromAsync(expireEvents(service.db, { kept_days: 90 }))
  await made.happen(2)
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/resume/`)
  await eventually(async () => (await made.read()).delivered_event_number === 9)
  assert.deepEqual(numbers(made), [7, 8, 9])
  assert.deepEqual(
    (await made.log()).map(({ event_number, event_type, attempt, status, error }) => [event_number, event_type, attempt, status, error]),
    [
      [9, 'webhook.changed', 1, 204, null],
      [8, 'cart.marked', 1, 204, null],
      [7, 'cart.marked', 1, 204, null],
      [6, '', 0, null, 'expired'],
    ],
  ) // prettier-ignore
})

test('thousands of events of other types are skipped with few reads', async () => {
  const made = await endpoint(undefined, { event_types: 'contact.changed' })
  await made.shop.ok('PATCH', `/api/v1/webhooks/${made.webhook_id}/`, { active: 'false' })
  await made.happen(5_000, 'client.changed')
  await made.happen(1, 'contact.changed')
  const readsBefore = reads.get(made.client.client_id) ?? 0
  await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/resume/`)
  await eventually(async () => (await made.read()).delivered_event_number === 5_005)
  assert.deepEqual(numbers(made), [5_004])
  const readsAfter = reads.get(made.client.client_id) ?? 0
  assert(readsAfter - readsBefore < 12, `${readsAfter - readsBefore} reads`)
})

test('no response by the deadline is recorded as a timeout, with its duration', async () => {
  const timeoutMs = 2_000
  await delivery.stop()
  delivery = deliverHere(timeoutMs)
  const made = await endpoint(() => undefined)
  await made.happen()
  await eventually(async () => (await made.log()).length > 0)
  assert.equal((await made.read()).last_failure, 'timeout')
  const entry = (await made.log()).at(-1)
  assert.deepEqual([entry.status, entry.error, entry.attempt], [null, 'timeout', 1])
  assert(entry.duration_ms >= timeoutMs - 5 && entry.duration_ms < timeoutMs + 120_000, `${entry.duration_ms} ms`)
  await delivery.stop()
  delivery = deliverHere()
})

test('an event whose message cannot be built is logged as internal; it delays later events and none before it', async () => {
  const made = await endpoint()
  const cart_id = await made.shop.createCart()
  await made.shop.add(cart_id, { item_id: 1, quantity: 1 })
  await made.shop.order(cart_id)
  await eventually(async () => made.received.length === 1)
  const spoil = (change: string): Promise<unknown> =>
    service.sql(`update events set data = ${change}, order_id = (select order_id from events where client_id = $1 and event_number = 3)
      where client_id = $1 and event_number > 4`, [made.client.client_id]) // prettier-ignore
  await made.shop.ok('PATCH', `/api/v1/webhooks/${made.webhook_id}/`, { active: 'false' })
  await made.happen(1, 'order.state_changed')
  // The first cannot be shown; the second cannot even be read.
  for (const [n, change] of [
    `jsonb_build_object('stock_name', 'x', 'history_count', 0)`,
    `jsonb_build_object('order_update_datetime', 'nonsense')`,
  ].entries()) {
    await spoil(change)
    const { attempts: failed } = await made.read()
    if (n === 0) {
      await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/replay/`, { from_event_number: 3 })
      await made.shop.ok('PUT', `/api/v1/webhooks/${made.webhook_id}/resume/`)
    } else await retryNow(made)
    await eventually(async () => (await made.read()).attempts > failed)
    const { last_failure, next_attempt_at } = await made.read()
    assert.equal(last_failure, 'internal')
    assert(next_attempt_at !== null)
    const entry = (await made.log()).find(({ attempt, error }) => error === 'internal' && attempt === failed + 1)
    assert.deepEqual([entry.event_number, entry.status], [5, null])
  }
  assert.deepEqual(numbers(made), [3, 3, 4])
  await spoil(`(select data from events where client_id = $1 and event_number = 3)
    || '{"order_update_datetime": "2026-11-15 09:30:00+00", "order_state_id": "new", "order_shipping_date": null}'`) // prettier-ignore
  await retryNow(made)
  await eventually(async () => (await made.read()).delivered_event_number === 7)
  assert.deepEqual(numbers(made), [3, 3, 4, 5, 6, 7])
})

test('an event arrives while another transaction stays open', async () => {
  const made = await endpoint()
  const { default: pg } = await import('pg')
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await made.happen(1)
  await eventually(async () => made.received.length === 1)
  await made.happen(1)
  await eventually(async () => made.received.length === 2)
  await session.end()
})

test('delivery log entries are deleted after 30 days and not before', async () => {
  const made = await endpoint()
  await made.happen(2)
  await eventually(async () => (await made.log()).length === 2)
  await service.sql(
    `update webhook_deliveries set attempted_at = now() - case event_number when 3 then interval '31 days' else interval '29 days' end where webhook_id = $1`,
    [made.webhook_id],
  )
  assert.deepEqual(await Array.fromAsync(sweepWebhookDeliveries(service.db)), [1])
  assert.deepEqual(
    (await made.log()).map(({ event_number }) => event_number),
    [4],
  )
})
