/** Which worker holds an endpoint, how it keeps and releases it: during changes, and while the worker stops. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startWebhookDelivery, type RunningWebhookDelivery } from '../delivery/deliver-webhooks.ts'
import { resolveBySystem } from '../public-address.ts'
import { makeSecretBox } from '../secrets/secret-box.ts'
import { makeLogger } from '../../log.ts'
import type { Database } from 'pg-statements/database.ts'
import { happenSql, makeEndpoints } from '../../testing/network/endpoints.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { eventually } from '../../testing/process.ts'
import { numberOf, startReceiver, type Answering, type Receiver } from '../../testing/network/receiver.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

let service: TestService
let receiver: Receiver
let running: RunningWebhookDelivery[] = []

before(async () => {
  service = await startService({ settings: { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true' } })
  await addFixtures(service)
})
afterEach(async () => {
  receiver.close()
  await Promise.all(running.map(({ stop }) => stop()))
  running = []
  await service.sql('delete from webhooks')
})
after(() => service.close())

const leaseMs = 6_000 // A slow machine must be able to renew it every 1.5 seconds.

function deliver(changed: Partial<Parameters<typeof startWebhookDelivery>[0]> = {}): RunningWebhookDelivery {
  const delivery = startWebhookDelivery({
    db: service.db,
    logger: makeLogger('silent'),
    policy: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    box: makeSecretBox([]),
    stateLabels: {} as never, // No event here is about an order.
    leaseMs,
    timeoutMs: 600_000,
    ...changed,
  })
  running.push(delivery)
  return delivery
}

const receive = async (answer?: Answering): Promise<void> => void (receiver = await startReceiver(answer))

/** Receives requests that stay open until the test responds. */
async function receiveOpen(): Promise<(() => void)[]> {
  const open: (() => void)[] = []
  await receive((_, response) => void open.push(() => response.writeHead(204).end()))
  return open
}

const received = (path: string): number[] => receiver.received.filter((got) => got.path === path).map(numberOf)

async function one(path: string, events: number): Promise<{ client_id: number; webhook_id: number }> {
  const [made] = await makeEndpoints(service, { url: `${receiver.url}${path}`, events })
  assert(made)
  return made
}

const rowOf = async (webhook_id: number): Promise<Record<string, unknown>> => {
  const sql = `select delivered_event_number::integer as delivered, lease, leased_until from webhooks where webhook_id = $1`
  return (await service.sql(sql, [webhook_id]))[0] ?? {}
}

/** Waits until the lease has been renewed beyond the time at which it would have ended without renewals. */
async function leaseOutlivesItsFirstEnd(webhook_id: number): Promise<void> {
  const sql = 'select extract(epoch from leased_until)::float8 as ends, extract(epoch from now())::float8 as now from webhooks where webhook_id = $1' // prettier-ignore
  const read = async (): Promise<{ ends: number; now: number }> => {
    const [row] = await service.sql(sql, [webhook_id])
    return { ends: Number(row?.['ends']), now: Number(row?.['now']) }
  }
  const { ends: firstEnd } = await read()
  await eventually(async () => {
    const { ends, now } = await read()
    return now > firstEnd && ends > now
  })
}

test('a locked endpoint does not keep the leases of others from being renewed: their long requests continue', async () => {
  const open = await receiveOpen()
  const [locked, other] = [await one('/locked', 1), await one('/other', 1)]
  deliver()
  await eventually(async () => received('/locked').length === 1 && received('/other').length === 1)
  const release = await holdRows(service.databaseUrl, `select 1 from webhooks where webhook_id = ${locked.webhook_id} for update`) // prettier-ignore
  await leaseOutlivesItsFirstEnd(other.webhook_id)
  for (const respond of open) respond()
  await eventually(async () => (await rowOf(other.webhook_id))['delivered'] === 1)
  await release()
  assert.deepEqual(received('/other'), [1])
})

test('releasing an endpoint clears the name of its lease, so that no renewal can restore it', async () => {
  const open = await receiveOpen()
  const { webhook_id } = await one('/', 50)
  const delivery = deliver()
  await eventually(async () => open.length === 1)
  open[0]?.()
  await eventually(async () => open.length === 2)
  const stopped = delivery.stop()
  open[1]?.()
  await stopped
  assert.deepEqual(await rowOf(webhook_id), { delivered: 2, lease: null, leased_until: null })
})

test('a worker that stops holds the endpoint of a request in flight until it ends: no other worker sends it again', async () => {
  const open = await receiveOpen()
  const { webhook_id } = await one('/', 1)
  const stopping = deliver()
  await eventually(async () => received('/').length === 1)
  const stopped = stopping.stop()
  deliver()
  await leaseOutlivesItsFirstEnd(webhook_id)
  for (const respond of open) respond()
  await stopped
  assert.equal((await rowOf(webhook_id))['delivered'], 1)
  assert.deepEqual(received('/'), [1])
})

test('a worker that cannot renew a lease breaks off the request, and the event is sent again', async () => {
  let brokenOff = 0
  await receive((_, response) => void response.once('close', () => brokenOff++))
  await one('/', 1)
  const rows: Database['rows'] = (statement, values) =>
    statement.name === 'renew-leases' ? Promise.reject(new Error('unavailable')) : service.db.rows(statement, values)
  const db: Database = Object.assign(Object.create(service.db), { rows })
  deliver({ db, leaseMs: 1_000 })
  await eventually(async () => brokenOff >= 1 && received('/').length >= 2)
  assert.deepEqual(new Set(received('/')), new Set([1]))
})

test('deleting an endpoint does not wait for its delivery log, which is no longer shown', async () => {
  await receive()
  const { key } = await addClient(service)
  const shop = shopper(service, { key })
  const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
  await service.sql(
    `insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, duration_ms)
     select client_id, webhook_id, n, 'order.created', 1, 204, 5 from webhooks, generate_series(1, 10) n where webhook_id = $1`,
    [webhook_id],
  )
  const release = await holdRows(service.databaseUrl, `select 1 from webhook_deliveries where webhook_id = ${webhook_id} for update`) // prettier-ignore
  // If it waited for the rows that are locked until it ends, the statement would time out.
  const deleted = await shop.ok('DELETE', `/api/v1/webhooks/${webhook_id}/`).finally(release)
  assert.deepEqual(deleted, { removed_webhook_id: webhook_id })
  assert.equal((await service.request('GET', `/api/v1/webhooks/${webhook_id}/deliveries/`, { key })).status, 404)
})

test('a test event for an endpoint that is being deleted is refused with 404', async () => {
  await receive()
  const { key } = await addClient(service)
  const shop = shopper(service, { key })
  const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('delete from webhooks where webhook_id = $1', [webhook_id])
  const requested = service.request('PUT', `/api/v1/webhooks/${webhook_id}/test/`, { key })
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => (await service.sql(waiting)).length > 0)
  await session.query('commit')
  await session.end()
  const { status, body } = await requested
  assert.deepEqual([status, body.errors[0]?.code], [404, 'webhook_not_found'])
  assert.deepEqual(await service.sql('select 1 from webhook_tests'), [])
})

test('test events are sent in the order of their requests, at most fifty at once', async () => {
  await receive(() => undefined)
  const endpoints = [
    ...(await makeEndpoints(service, { url: `${receiver.url}/`, clients: 79 })),
    ...(await makeEndpoints(service, { url: `${receiver.url}/first` })),
  ]
  const first = endpoints.at(-1)
  await service.sql(
    `insert into webhook_tests (client_id, webhook_id, requested_at)
     select client_id, webhook_id, now() - case webhook_id when $1 then interval '2 minutes' else interval '1 minute' end from webhooks`,
    [first?.webhook_id],
  )
  deliver()
  await eventually(async () => receiver.received.length >= 50)
  await sleep(1_500)
  assert.equal(receiver.received.length, 50)
  // It is the last by id: in any other order it would be among the 30 that wait.
  assert(receiver.received.some(({ path }) => path === '/first'))
})

test('after a change of the endpoint, the response to a request in flight does not move the position', async () => {
  const changes = {
    'replay/': { from_event_number: 3 },
    'rotate-secret/': {},
    '': { event_types: 'cart.marked' },
  }
  for (const [rest, form] of Object.entries(changes)) {
    const open = await receiveOpen()
    const client = await addClient(service)
    const shop = shopper(service, client)
    const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
    await service.sql(happenSql, [client.client_id, 2, 'cart.marked'])
    const delivery = deliver()
    await eventually(async () => open.length === 1)
    open[0]?.()
    await eventually(async () => open.length === 2) // Number 4 is in flight.
    await shop.ok(rest === '' ? 'PATCH' : 'PUT', `/api/v1/webhooks/${webhook_id}/${rest}`, form)
    open[1]?.()
    await eventually(async () => open.length === 3)
    assert.deepEqual(received('/'), [3, 4, rest === 'replay/' ? 3 : 4], rest)
    assert.equal((await rowOf(webhook_id))['delivered'], rest === 'replay/' ? 2 : 3, rest)
    for (let n = 2; (await rowOf(webhook_id))['delivered'] !== 5; n++) {
      open[n]?.()
      await eventually(async () => open.length > n + 1 || (await rowOf(webhook_id))['delivered'] === 5)
    }
    receiver.close()
    await delivery.stop()
  }
})
