/** Endpoints that are slow, hang or fail, however many, do not hold up one that is quick. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookDelivery, type WebhookDelivery } from './deliver-webhooks.ts'
import { resolveBySystem } from './public-address.ts'
import { makeLogger } from '../log.ts'
import { happenSql, makeEndpoints } from '../testing/endpoints.ts'
import { eventually } from '../testing/process.ts'
import { startReceiver, type Answering, type Receiver } from '../testing/receiver.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let delivery: WebhookDelivery | undefined
let receiver: Receiver

before(async () => {
  service = await startService()
})
afterEach(async () => {
  receiver.close() // What hangs ends.
  await delivery?.stop()
  await service.sql('delete from webhooks')
})
after(() => service.close())

const deliverHere = (): WebhookDelivery =>
  startWebhookDelivery({
    db: service.db,
    logger: makeLogger('silent'),
    where: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    stateLabels: {} as never, // No event here is about an order.
    leaseMs: 10_000,
  })

const receive = async (answer: Answering): Promise<void> => {
  receiver = await startReceiver((got, response) =>
    got.path === '/quick' ? void response.writeHead(204).end() : answer(got, response),
  )
}

const cameTo = (path: string): number => receiver.received.filter((got) => got.path === path).length

/** The longest of some times from an event to the quick endpoint, in milliseconds. */
async function longestLag(client_id: number): Promise<number> {
  let longest = 0
  for (let n = 1; n <= 4; n++) {
    const started = performance.now()
    await service.sql(happenSql, [client_id, 1, 'order.created'])
    await eventually(async () => cameTo('/quick') === n)
    longest = Math.max(longest, performance.now() - started)
    await sleep(300)
  }
  return longest
}

const tolerableMs = 6_000 // Mostly below one and a half seconds; far below the 15 of a request that hangs.

test('800 endpoints that take everything, but slowly: a quick one does not wait for their turns', async () => {
  await receive((_, response) => void setTimeout(() => response.writeHead(204).end(), 4_000).unref())
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/slow`, clients: 40, each: 20, events: 200 })
  delivery = deliverHere()
  await eventually(async () => cameTo('/slow') >= 300)
  assert((await longestLag(quick.client_id)) < tolerableMs)
  // From the second turn on they are known as slow.
  await eventually(async () => cameTo('/slow') >= 600)
  const [row] = await service.sql('select count(*)::integer as held from webhooks where lease is not null')
  assert(Number(row?.['held']) <= 400, JSON.stringify(row))
})

test('450 endpoints that hang for the first time: a quick one does not wait until they are given up', async () => {
  await receive(() => undefined)
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/hanging`, clients: 450, events: 1 })
  delivery = deliverHere()
  await eventually(async () => cameTo('/hanging') >= 400)
  assert((await longestLag(quick.client_id)) < tolerableMs)
})

test('of endpoints that have failed before, a hundred at most are tried at once', async () => {
  await receive(() => undefined)
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/failing`, clients: 300, events: 1 })
  await service.sql(
    `update webhooks set attempts = 3, failing_since = now(), next_attempt_at = now() where webhook_id <> $1`,
    [quick.webhook_id],
  )
  delivery = deliverHere()
  await eventually(async () => cameTo('/failing') >= 100)
  assert((await longestLag(quick.client_id)) < tolerableMs)
  assert.equal(cameTo('/failing'), 100)
})

test('one client with 20 endpoints that hang takes ten places', async () => {
  await receive(() => undefined)
  await makeEndpoints(service, { url: `${receiver.url}/hanging`, each: 20, events: 1 })
  delivery = deliverHere()
  await eventually(async () => cameTo('/hanging') >= 10)
  await sleep(2_000)
  assert.equal(cameTo('/hanging'), 10)
})
