/** What arrives at an endpoint of the feed, and what happens if it does not accept it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import pg from 'pg'
import { Webhook as Verifier } from 'standardwebhooks'
import { sealWebhookSecrets } from '../secrets/seal-webhook-secrets.ts'
import { startFeedPush } from './push-feed.ts'
import { startWebhookDelivery, type RunningWebhookDelivery } from '../delivery/deliver-webhooks.ts'
import { sweepWebhookDeliveries } from '../delivery/sweep-webhook-deliveries.ts'
import { resolveBySystem } from '../public-address.ts'
import { makeSecretBox } from '../secrets/secret-box.ts'
import { readConfig } from '../../config.ts'
import { makeLogger } from '../../log.ts'
import { lastEvents } from '../../testing/events.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { happenSql } from '../../testing/network/endpoints.ts'
import {
  numberOf,
  startReceiver,
  type Answering,
  type Received,
  type Receiver,
} from '../../testing/network/receiver.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { eventually, startProcess } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'

const path = '/operator/v1/feed-endpoints/'
const settings = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  WEBHOOK_SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
}

let service: TestService
let operators: Operators
let client: TestClient
let receivers: Receiver[] = []
let running: RunningWebhookDelivery[] = []

before(async () => {
  service = await startService({ settings })
  await addFixtures(service)
  operators = await makeOperators(service)
  client = await addClient(service)
})
afterEach(async () => {
  for (const receiver of receivers) receiver.close()
  await Promise.all(running.map(({ stop }) => stop()))
  ;[receivers, running] = [[], []]
  await service.sql('delete from feed_endpoints')
})
after(async () => {
  await service.checkInvariants()
  await service.close()
})

/** Starts a worker's delivery. */
function deliver(leaseMs = 60_000): RunningWebhookDelivery {
  const config = readConfig({ ...settings, DATABASE_URL: service.databaseUrl })
  const delivery = startWebhookDelivery({
    db: service.db,
    logger: makeLogger('silent'),
    policy: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    box: makeSecretBox(config.webhookSecretKeys),
    stateLabels: config.stateLabels,
    leaseMs,
    startFeedPush,
    timeoutMs: 120_000,
  })
  running.push(delivery)
  return delivery
}

interface FeedEvent {
  readonly client_id: number
  readonly event_number: number
  readonly event_type: string
}

interface Message {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly events: readonly FeedEvent[]; readonly next_cursor: string; readonly endpoint_id: number }
}

const messageIn = ({ body }: Received): Message => JSON.parse(body) as Message
const name = ({ client_id, event_number }: FeedEvent): string => `${client_id}/${event_number}`

interface Made {
  readonly endpoint_id: number
  readonly secret: string
  readonly receiver: Receiver
  /** The events that have arrived, as `client/number`, repeated ones included. */
  readonly seen: () => string[]
  readonly read: () => Promise<any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
  readonly change: (json: object) => Promise<unknown>
  readonly log: () => Promise<any[]> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
}

async function endpoint(answer?: Answering, json: object = {}): Promise<Made> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  const { endpoint_id, secret } = await operators.ok('POST', path, { url: `${receiver.url}/events`, ...json })
  const own = `${path}${endpoint_id}/`
  return {
    endpoint_id,
    secret,
    receiver,
    seen: () =>
      receiver.received.flatMap((got) =>
        messageIn(got).type === 'events' ? messageIn(got).data.events.map(name) : [],
      ),
    read: async () => (await operators.ok('GET', path)).find((one: Made) => one.endpoint_id === endpoint_id),
    change: (changes) => operators.ok('PATCH', own, changes),
    log: () => operators.ok('GET', `${own}deliveries/`),
  }
}

const happen = (count = 1, { type = 'cart.marked', client_id = client.client_id } = {}): Promise<unknown> =>
  service.sql(happenSql, [client_id, count, type])

const fail =
  (status: number): Answering =>
  (_, response) =>
    void response.writeHead(status, { 'retry-after': '21600' }).end()

const retryNow = (): Promise<unknown> =>
  service.sql('update feed_endpoints set next_attempt_at = now() where next_attempt_at is not null')

/** The names of all events after the cursor, as the feed shows them. */
async function feedAfter(cursor: string): Promise<string[]> {
  const names: string[] = []
  for (let next = cursor; ;) {
    const page = await operators.ok('GET', `/operator/v1/events/?limit=500&cursor=${next}`)
    if (page.events.length === 0) return names
    names.push(...page.events.map(name))
    next = page.next_cursor
  }
}

const verified = ({ headers, body }: Received, secret: string): unknown =>
  new Verifier(secret).verify(body, headers as Record<string, string>)

test('a message is a signed page of the feed, and its next_cursor continues a poll where it ends', async () => {
  deliver()
  const { next_cursor: start } = await lastEvents(service, operators)
  const made = await endpoint()
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  await eventually(async () => made.receiver.received.length === 1)
  const [got] = made.receiver.received
  assert(got)
  const { type, timestamp, data } = verified(got, made.secret) as Message
  const answer = await operators.ok('GET', `/operator/v1/events/?cursor=${start}`)
  assert.deepEqual(
    [type, data, answer.events.map(({ event_type }: FeedEvent) => event_type)],
    ['events', answer, ['order.created']],
  )
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.match(String(got.headers['webhook-id']), new RegExp(`^feed_${made.endpoint_id}_[0-9a-f]{20}$`))
  await eventually(async () => (await made.read()).cursor === data.next_cursor)
  await happen()
  const later = await operators.ok('GET', `/operator/v1/events/?wait=10&cursor=${data.next_cursor}`)
  assert.equal(later.events.length, 1)
})

test('many events arrive in order, each once, in messages of at most 100', async () => {
  const made = await endpoint()
  const { cursor } = await made.read()
  for (let n = 0; n < 5; n++) await happen(67)
  deliver()
  await eventually(async () => made.seen().length >= 335)
  assert.deepEqual(made.seen(), await feedAfter(cursor))
  const sizes = made.receiver.received.map((got) => messageIn(got).data.events.length)
  assert.deepEqual(sizes, [100, 100, 100, 35])
})

test('only the wanted types are sent, and the position passes the others without a message', async () => {
  const made = await endpoint(undefined, { event_types: ['contact.changed'] })
  deliver()
  await happen(150)
  await happen(1, { type: 'contact.changed' })
  await happen(150)
  await happen(1, { type: 'service.restored' })
  const { next_cursor } = await lastEvents(service, operators)
  await eventually(async () => (await made.read()).cursor === next_cursor)
  const types = made.receiver.received.flatMap((got) => messageIn(got).data.events.map(({ event_type }) => event_type))
  assert.deepEqual(types, ['contact.changed', 'service.restored'])
  await made.change({ event_types: [] })
  await happen()
  await eventually(async () => made.seen().length === 3)
})

test('nothing is missed while twelve programs order in parallel and one session stalls before its commit', async () => {
  const made = await endpoint()
  const { cursor } = await made.read()
  deliver()
  deliver()
  const slow = await addClient(service)
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query(happenSql, [slow.client_id, 1, 'cart.marked'])
  const clients = await Promise.all(Array.from({ length: 6 }, () => addClient(service)))
  await Promise.all(
    [...clients, ...clients].map(async (one, n) => {
      const shop = shopper(service, one)
      for (let orders = 0; orders < 8; orders++) {
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id: 1, quantity: 1 })
        await shop.order(cart_id)
        if (n === 3 && orders === 4) await session.query('commit')
      }
    }),
  )
  await session.end()
  await lastEvents(service, operators) // All are visible.
  const all = await feedAfter(cursor)
  await eventually(async () => new Set(made.seen()).size === all.length)
  assert.deepEqual(made.seen(), all)
  assert(all.length >= 96 && all.includes(`${slow.client_id}/2`), `${all.length}`)
})

test('a message that is refused comes again with its events and those since, and later events wait for it', async () => {
  for (const status of [500, 302, 429]) {
    let failing = true
    const made = await endpoint((got, response) => (failing ? fail(status)(got, response) : void response.writeHead(204).end())) // prettier-ignore
    const delivery = deliver()
    await happen(2)
    await eventually(async () => (await made.read()).attempts === 1)
    const { last_failure, next_attempt_at, failing_since } = await made.read()
    assert.equal(last_failure, String(status))
    assert(next_attempt_at !== null && failing_since !== null)
    await happen()
    failing = false
    await retryNow()
    await eventually(async () => (await made.log()).length === 2)
    const seen = made.seen()
    assert.deepEqual(seen.slice(2), [...seen.slice(0, 2), seen.at(-1)])
    assert.deepEqual((await made.log()).map(({ attempt, status: got, event_count }) => [attempt, got, event_count]), [[2, 204, 3], [1, status, 2]]) // prettier-ignore
    const healthy = await made.read()
    assert.deepEqual([healthy.attempts, healthy.failing_since, healthy.last_failure, healthy.next_attempt_at], [0, null, null, null]) // prettier-ignore
    await delivery.stop()
    await service.sql('delete from feed_endpoints')
  }
})

test('410 pauses an endpoint at once, three days of failures too, and the audit log says why; resumed, it continues', async () => {
  for (const [status, reason] of [
    [410, 'gone'],
    [500, 'failing'],
  ] as const) {
    // prettier-ignore
    let failing = true
    const made = await endpoint((got, response) => (failing ? fail(status)(got, response) : void response.writeHead(204).end())) // prettier-ignore
    const delivery = deliver()
    await happen()
    if (reason === 'failing') {
      await eventually(async () => (await made.read()).attempts === 1)
      await service.sql(`update feed_endpoints set failing_since = now() - interval '73 hours'`)
      await retryNow()
    }
    await eventually(async () => !(await made.read()).active)
    const { paused_reason, paused_at, next_attempt_at } = await made.read()
    assert.deepEqual([paused_reason, paused_at !== null, next_attempt_at], [reason, true, null])
    const audit = await operators.ok('GET', '/operator/v1/audit/?limit=1')
    assert.deepEqual(
      [audit[0].audit_action, audit[0].subject, audit[0].new_value, audit[0].actor],
      ['feed_endpoint_paused', { endpoint_id: made.endpoint_id }, { last_failure: String(status), paused_reason: reason }, 'worker'], // prettier-ignore
    )
    failing = false
    const attempts = made.receiver.received.length
    await made.change({ active: true })
    await eventually(async () => made.receiver.received.length === attempts + 1)
    assert.equal(made.seen().at(-1), made.seen()[0])
    await delivery.stop()
    await service.sql('delete from feed_endpoints')
  }
})

test('an admin pauses and resumes an endpoint, and nothing is lost in between', async () => {
  const made = await endpoint()
  const { cursor } = await made.read()
  deliver()
  await made.change({ active: false })
  await happen(3)
  const other = await endpoint() // Created later: it shows that the worker has looked.
  await happen()
  await eventually(async () => other.seen().length === 1)
  assert.deepEqual(made.seen(), [])
  await made.change({ active: true })
  await eventually(async () => made.seen().length === 4)
  assert.deepEqual(made.seen(), await feedAfter(cursor))
})

test('a cursor begins anywhere in the feed, and replays from there', async () => {
  const { next_cursor } = await lastEvents(service, operators)
  await happen(3)
  await lastEvents(service, operators)
  deliver()
  const made = await endpoint(undefined, { cursor: next_cursor })
  await eventually(async () => made.seen().length === 3)
  const first = made.seen()
  assert.deepEqual(first, await feedAfter(next_cursor))
  await made.change({ cursor: next_cursor })
  await eventually(async () => made.seen().length === 6)
  assert.deepEqual(made.seen(), [...first, ...first])
  const [one, two] = made.receiver.received
  assert.equal(one?.headers['webhook-id'], two?.headers['webhook-id']) // The same events have the same id.
})

test('events that expire before they can be sent are skipped, with an entry in the delivery log', async () => {
  const made = await endpoint(fail(500))
  const delivery = deliver()
  await happen(2)
  await eventually(async () => (await made.read()).attempts === 1)
  await delivery.stop()
  await lastEvents(service, operators)
  const [last] = await service.sql(`select transaction_id, client_id, event_number from events order by transaction_id desc, client_id desc, event_number desc limit 1`) // prettier-ignore
  await service.sql(
    `insert into event_feed (expired_transaction, expired_client, expired_number) values ($1, $2, $3)`,
    [last?.['transaction_id'], last?.['client_id'], last?.['event_number']],
  )
  await happen()
  await made.change({ url: `${(await startHere()).url}/` })
  deliver()
  const here = receivers.at(-1)
  await eventually(async () => here?.received.length === 1)
  await eventually(async () => (await made.log()).length === 3)
  assert.deepEqual((await made.log()).map(({ error, event_count }) => [error, event_count]), [[null, 1], ['expired', 0], [null, 2]]) // prettier-ignore
  await service.sql('delete from event_feed')
})

async function startHere(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

test('after a rotation both secrets verify messages, and after a day only the new one; a retry rotates once', async () => {
  const made = await endpoint()
  const own = `${path}${made.endpoint_id}/rotate-secret/`
  const rotate = () =>
    service.request('POST', own, { key: operators.keys.admin, headers: { 'idempotency-key': 'once' } })
  const [first, second] = [await rotate(), await rotate()]
  assert.deepEqual(first.body.data, second.body.data)
  const { secret } = first.body.data
  assert.notEqual(secret, made.secret)
  deliver()
  await happen()
  await eventually(async () => made.receiver.received.length === 1)
  const [both] = made.receiver.received
  assert(both)
  verified(both, made.secret)
  verified(both, secret)
  await eventually(async () => (await made.log()).length === 1)
  await service.sql(`update feed_endpoints set previous_secret_until = now()`)
  await happen()
  await eventually(async () => made.receiver.received.length === 2)
  const last = made.receiver.received[1]
  assert(last)
  verified(last, secret)
  assert.throws(() => verified(last, made.secret), /No matching/)
})

test('secrets are stored sealed, not for a client, and sealed again with a new key', async () => {
  const made = await endpoint()
  const stored = async (): Promise<string> =>
    String((await service.sql('select secret from feed_endpoints'))[0]?.['secret'])
  assert.match(await stored(), /^sealed:test:/)
  const keys = ['next', 'test'].map((of, n) => ({ name: of, key: Buffer.alloc(32, 2 - n) }))
  const box = makeSecretBox(keys)
  for await (const _ of sealWebhookSecrets(service.db, box));
  const sealed = await stored()
  assert.match(sealed, /^sealed:next:/)
  assert.equal(box.open(sealed, 0), made.secret)
  assert.throws(() => box.open(sealed, client.client_id))
})

test('a test is sent to a paused endpoint too, once, with its result in the log', async () => {
  const made = await endpoint()
  await made.change({ active: false })
  deliver()
  await operators.ok('POST', `${path}${made.endpoint_id}/test/`)
  await eventually(async () => (await made.log()).length === 1)
  const [got] = made.receiver.received
  assert(got)
  const { type, data } = verified(got, made.secret) as Message
  assert.deepEqual([type, data], ['webhook.test', { endpoint_id: made.endpoint_id }])
  const [entry] = await made.log()
  assert.deepEqual([entry.message_id, entry.event_count, entry.attempt, entry.status], [got.headers['webhook-id'], 0, 1, 204]) // prettier-ignore
  assert.equal((await made.read()).active, false)
})

test('an endpoint that hangs delays neither another one nor the webhooks of clients', async () => {
  const hanging = await endpoint(() => undefined)
  const quick = await endpoint()
  const hook = await startHere()
  await shopper(service, client).ok('PUT', '/api/v1/webhooks/', { url: hook.url, event_types: 'cart.marked' })
  deliver()
  await happen()
  await eventually(async () => hanging.receiver.received.length === 1)
  const startedAt = performance.now()
  for (let n = 0; n < 5; n++) {
    await happen()
    await eventually(async () => hook.received.length >= n + 2 && quick.seen().length >= n + 3)
  }
  assert(performance.now() - startedAt < 15_000) // As long as one attempt may take to time out.
  assert.equal(hanging.receiver.received.length, 1)
  assert.deepEqual(
    hook.received.map(numberOf),
    hook.received.map((_, n) => numberOf(hook.received[0] as Received) + n),
  )
  for (const receiver of receivers) receiver.close()
})

test('a message whose worker lost the lease, as if it were killed, is sent again by the next one', async () => {
  const open: (() => void)[] = []
  const made = await endpoint((_, response) => void open.push(() => response.writeHead(204).end()))
  deliver()
  await happen(2)
  await eventually(async () => open.length === 1)
  await service.sql(`update feed_endpoints set lease = 'of a killed worker', leased_until = now()`)
  deliver()
  await eventually(async () => open.length === 2)
  open[0]?.() // What the first worker records changes nothing.
  await happen()
  open[1]?.()
  await eventually(async () => open.length === 3)
  open[2]?.()
  await eventually(async () => (await made.read()).cursor === (await lastEvents(service, operators)).next_cursor)
  const seen = made.seen()
  assert.deepEqual([seen.slice(2, 4), new Set(seen).size, seen.length], [seen.slice(0, 2), 3, 5])
})

test('a message in flight when its worker is killed is sent again by the next one', async (t) => {
  let isKilled = false
  const made = await endpoint((_, response) => void (isKilled && response.writeHead(204).end()))
  const environment = { ...settings, DATABASE_URL: service.databaseUrl, WORKER_PORT: '0', WORKER_METRICS_PORT: '0' }
  const worker = await startProcess('worker', { ...environment, WEBHOOK_LEASE_MS: '1000' })
  t.after(() => worker.child.kill('SIGKILL'))
  await happen(2)
  await eventually(async () => made.receiver.received.length === 1)
  worker.child.kill('SIGKILL')
  isKilled = true
  deliver()
  await eventually(async () => made.seen().length === 4)
  assert.deepEqual(made.seen().slice(2), made.seen().slice(0, 2))
})

test('old entries of the delivery log are deleted', async () => {
  const made = await endpoint()
  for (const age of ['29 days', '31 days'])
    await service.sql(
      `insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, duration_ms, attempted_at)
       values ($1, $2::text, 1, 1, 5, now() - $2::text::interval)`,
      [made.endpoint_id, age],
    )
  for await (const _ of sweepWebhookDeliveries(service.db));
  assert.deepEqual((await made.log()).map(({ message_id }) => message_id), ['29 days']) // prettier-ignore
})
