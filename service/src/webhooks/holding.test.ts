/** Who holds an endpoint, keeps it and lets go of it: while others change it, and while the process stops. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startWebhookDelivery, type WebhookDelivery } from './deliver-webhooks.ts'
import { resolveBySystem } from './public-address.ts'
import { makeLogger } from '../log.ts'
import { happenSql, makeEndpoints } from '../testing/endpoints.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually } from '../testing/process.ts'
import { numberOf, startReceiver, type Answering, type Receiver } from '../testing/receiver.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'

let service: TestService
let receiver: Receiver
let running: WebhookDelivery[] = []

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

const leaseMs = 1_000

function deliver(): WebhookDelivery {
  const delivery = startWebhookDelivery({
    db: service.db,
    logger: makeLogger('silent'),
    where: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    stateLabels: {} as never, // No event here is about an order.
    leaseMs,
  })
  running.push(delivery)
  return delivery
}

const receive = async (answer?: Answering): Promise<void> => void (receiver = await startReceiver(answer))

const answerAfter =
  (ms: number): Answering =>
  (_, response) =>
    void setTimeout(() => response.writeHead(204).end(), ms)

const came = (path: string): number[] => receiver.received.filter((got) => got.path === path).map(numberOf)

async function one(path: string, events: number): Promise<{ client_id: number; webhook_id: number }> {
  const [made] = await makeEndpoints(service, { url: `${receiver.url}${path}`, events })
  assert(made)
  return made
}

const rowOf = async (webhook_id: number): Promise<Record<string, unknown>> => {
  const sql = `select delivered_event_number::integer as delivered, lease, leased_until from webhooks where webhook_id = $1`
  return (await service.sql(sql, [webhook_id]))[0] ?? {}
}

test('an endpoint that somebody is changing does not keep the others from being held: their long requests go on', async () => {
  await receive(answerAfter(leaseMs * 3))
  const [locked, other] = [await one('/locked', 1), await one('/other', 1)]
  deliver()
  await eventually(async () => came('/locked').length === 1 && came('/other').length === 1)
  const release = await holdRows(service.databaseUrl, `select 1 from webhooks where webhook_id = ${locked.webhook_id} for update`) // prettier-ignore
  await eventually(async () => (await rowOf(other.webhook_id))['delivered'] === 1)
  await release()
  assert.deepEqual(came('/other'), [1])
})

test('letting go of an endpoint leaves no name of a lease that a renewal could go on with', async () => {
  await receive(answerAfter(200))
  const { webhook_id } = await one('/', 50)
  const delivery = deliver()
  await eventually(async () => came('/').length === 2)
  await delivery.stop()
  const { delivered, lease, leased_until } = await rowOf(webhook_id)
  assert(Number(delivered) >= 1 && Number(delivered) < 50, `delivered ${String(delivered)}`)
  assert.deepEqual([lease, leased_until], [null, null])
})

test('a process that stops holds what is under way until it is answered: nobody sends it again', async () => {
  await receive(answerAfter(leaseMs * 3))
  const { webhook_id } = await one('/', 1)
  const stopping = deliver()
  await eventually(async () => came('/').length === 1)
  const stopped = stopping.stop()
  deliver()
  await stopped
  assert.equal((await rowOf(webhook_id))['delivered'], 1)
  assert.deepEqual(came('/'), [1])
})

test('deleting an endpoint does not wait for its log of deliveries, which is not shown any more', async () => {
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
  const deleted = shop.ok('DELETE', `/api/v1/webhooks/${webhook_id}/`)
  const first = await Promise.race([deleted, sleep(10_000, 'It waits.')])
  await release()
  assert.deepEqual(first, { removed_webhook_id: webhook_id })
  assert.equal((await service.request('GET', `/api/v1/webhooks/${webhook_id}/deliveries/`, { key })).status, 404)
})

test('a test event for an endpoint that is being deleted is refused, as for one that is gone', async () => {
  await receive()
  const { key } = await addClient(service)
  const shop = shopper(service, { key })
  const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('delete from webhooks where webhook_id = $1', [webhook_id])
  const asked = service.request('PUT', `/api/v1/webhooks/${webhook_id}/test/`, { key })
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => (await service.sql(waits)).length > 0)
  await session.query('commit')
  await session.end()
  const { status, body } = await asked
  assert.deepEqual([status, body.errors[0]?.code], [404, 'webhook_not_found'])
  assert.deepEqual(await service.sql('select 1 from webhook_tests'), [])
})

test('test events are sent in the order in which they were asked for, and fifty at most are under way', async () => {
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
  await eventually(async () => receiver.received.length >= 20)
  assert(receiver.received.slice(0, 20).some(({ path }) => path === '/first'))
  await eventually(async () => receiver.received.length >= 50)
  await sleep(1_500)
  assert.equal(receiver.received.length, 50)
})

test('what is changed while a request is under way counts: its answer does not move the position', async () => {
  const changes = {
    'replay/': { from_event_number: 3 },
    'rotate-secret/': {},
    '': { event_types: 'cart.marked' },
  }
  for (const [rest, form] of Object.entries(changes)) {
    const answers: (() => void)[] = []
    await receive((_, response) => void answers.push(() => response.writeHead(204).end()))
    const client = await addClient(service)
    const shop = shopper(service, client)
    const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
    await service.sql(happenSql, [client.client_id, 2, 'cart.marked'])
    const delivery = deliver()
    await eventually(async () => answers.length === 1)
    answers[0]?.()
    await eventually(async () => answers.length === 2) // Number 4 is under way.
    await shop.ok(rest === '' ? 'PATCH' : 'PUT', `/api/v1/webhooks/${webhook_id}/${rest}`, form)
    answers[1]?.()
    await eventually(async () => answers.length === 3)
    assert.deepEqual(came('/'), [3, 4, rest === 'replay/' ? 3 : 4], rest)
    assert.equal((await rowOf(webhook_id))['delivered'], rest === 'replay/' ? 2 : 3, rest)
    for (let n = 2; (await rowOf(webhook_id))['delivered'] !== 5; n++) {
      answers[n]?.()
      await eventually(async () => answers.length > n + 1 || (await rowOf(webhook_id))['delivered'] === 5)
    }
    receiver.close()
    await delivery.stop()
  }
})
