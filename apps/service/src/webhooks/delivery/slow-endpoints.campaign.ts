/** Endpoints that are slow, hang or fail, however many, do not delay a quick one. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookDelivery, type RunningWebhookDelivery } from './deliver-webhooks.ts'
import { resolveBySystem } from '../public-address.ts'
import { makeSecretBox } from '../secrets/secret-box.ts'
import { makeLogger } from '../../log.ts'
import { happenSql, makeEndpoints } from '../../testing/network/endpoints.ts'
import { eventually } from '../../testing/process.ts'
import { startReceiver, type Answering, type Receiver } from '../../testing/network/receiver.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let delivery: RunningWebhookDelivery | undefined
let receiver: Receiver

before(async () => {
  service = await startService()
})
afterEach(async () => {
  receiver.close() // Ends the requests that hang.
  await delivery?.stop()
  await service.sql('delete from webhooks')
})
after(() => service.close())

const deliverHere = (): RunningWebhookDelivery =>
  startWebhookDelivery({
    db: service.db,
    logger: makeLogger('silent'),
    policy: { allowHttp: true, allowPrivate: true },
    resolve: resolveBySystem,
    box: makeSecretBox([]),
    stateLabels: {} as never, // No event here is about an order.
    // Neither a lease nor a request ends during a test, however slow the machine is.
    leaseMs: 3_600_000,
    timeoutMs: 3_600_000,
  })

const receive = async (answer: Answering): Promise<void> => {
  receiver = await startReceiver((got, response) =>
    got.path === '/quick' ? void response.writeHead(204).end() : answer(got, response),
  )
}

const received = (path: string): number => receiver.received.filter((got) => got.path === path).length

/** Events of the quick endpoint arrive, one after another, while the requests to the other endpoints are still open. */
async function quickEventsArrive(client_id: number): Promise<void> {
  for (let n = 1; n <= 4; n++) {
    const before_ = received('/quick')
    await service.sql(happenSql, [client_id, 1, 'cart.marked'])
    await eventually(async () => received('/quick') > before_)
    await sleep(300)
  }
}

const leased = async (): Promise<number> =>
  Number((await service.sql('select count(*)::integer as leased from webhooks where lease is not null'))[0]?.['leased'])

test('800 endpoints accept everything slowly: a quick one does not wait for their turns', async () => {
  const open: (() => void)[] = []
  await receive((_, response) => void open.push(() => response.writeHead(204).end()))
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/slow`, clients: 40, each: 20, events: 200 })
  delivery = deliverHere()
  await eventually(async () => received('/slow') >= 300)
  await quickEventsArrive(quick.client_id)
  // From their second turn on they are known as slow.
  for (let slowTurns = received('/slow'); slowTurns < 600; slowTurns = received('/slow')) {
    await sleep(1_200) // Longer than a quick endpoint takes.
    for (const respond of open.splice(0)) respond()
    await eventually(async () => open.length > 0)
  }
  assert((await leased()) <= 400)
  await quickEventsArrive(quick.client_id)
})

test('450 endpoints hang for the first time: a quick one does not wait for their timeouts', async () => {
  await receive(() => undefined)
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/hanging`, clients: 450, events: 1 })
  delivery = deliverHere()
  await eventually(async () => received('/hanging') >= 400)
  await quickEventsArrive(quick.client_id)
})

test('at most a hundred endpoints that failed before are tried at once', async () => {
  await receive(() => undefined)
  const [quick] = await makeEndpoints(service, { url: `${receiver.url}/quick` })
  assert(quick)
  await makeEndpoints(service, { url: `${receiver.url}/failing`, clients: 300, events: 1 })
  await service.sql(
    `update webhooks set attempts = 3, failing_since = now(), next_attempt_at = now() where webhook_id <> $1`,
    [quick.webhook_id],
  )
  delivery = deliverHere()
  await eventually(async () => received('/failing') >= 100)
  await quickEventsArrive(quick.client_id)
  assert.equal(received('/failing'), 100)
})

test('one client with 20 endpoints that hang takes ten slots', async () => {
  await receive(() => undefined)
  await makeEndpoints(service, { url: `${receiver.url}/hanging`, each: 20, events: 1 })
  delivery = deliverHere()
  await eventually(async () => received('/hanging') >= 10)
  await sleep(2_000)
  assert.equal(received('/hanging'), 10)
})
