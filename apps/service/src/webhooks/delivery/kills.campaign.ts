/**
 * Kills workers and the API under traffic, while the receiver fails in every way it can: every committed event arrives
 * at each endpoint at least once, in order, and none is lost.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, startProcess, type Running } from '../../testing/process.ts'
import { long } from '../../testing/racing.ts'
import { numberOf, startReceiver, type Answering, type Receiver } from '../../testing/network/receiver.ts'
import { startService, type Body, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

const kills = Number(process.env['WEBHOOK_KILLS'] ?? (long ? 12 : 4)) // 200 were run by hand.
const workersAtOnce = 3
const clientsCount = 8
const random = (max: number): number => Math.floor(Math.random() * max)

let service: TestService
let receiver: Receiver

before(async () => {
  service = await startService({ settings: { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true' } })
  await addFixtures(service)
})
after(async () => {
  receiver.close()
  await service.close()
})

/** How often each fault happened. The test fails if one never did. */
const fired = { answered_500: 0, answered_429: 0, answered_410: 0, cut: 0, cut_amid_answer: 0, hung: 0 }
type Fault = keyof typeof fired
const hangsMax = 12 // Each costs its endpoint up to 15 seconds.

const faults: Record<Fault, Answering> = {
  answered_500: (_, response) => void response.writeHead(500).end('broken'),
  answered_429: (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  answered_410: (_, response) => void response.writeHead(410).end(),
  cut: (_, response) => void response.destroy(),
  cut_amid_answer: (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setImmediate(() => response.destroy())
  },
  hung: () => undefined,
}
const faultNames = Object.keys(faults) as Fault[]

interface Seen {
  /** The last event that was answered with 200. */
  accepted: number
  repeated: number
  gaps: string[]
}

test(
  `${kills} kills of workers and of the API, with endpoints that fail in every way: no event is lost, all arrive in order`,
  { timeout: 3_600_000 },
  async () => {
    const seen = new Map<string, Seen>()
    let calm = false
    receiver = await startReceiver((got, response) => {
      const number = numberOf(got)
      const at = seen.get(got.path)
      assert(at)
      if (number > at.accepted + 1) at.gaps.push(`${number} came after ${at.accepted}`)
      if (number <= at.accepted) at.repeated++
      // Each fault happens once at the start, and at random afterwards.
      const planned = faultNames.find((name) => fired[name] === 0)
      const fault = planned ?? faultNames[random(faultNames.length)]
      const due = planned !== undefined || random(100) < 12
      if (!calm && fault !== undefined && due && (fault !== 'hung' || fired.hung < hangsMax)) {
        fired[fault]++
        faults[fault](got, response)
        return
      }
      at.accepted = Math.max(at.accepted, number)
      response.writeHead(200).end()
    })
    const clients = await Promise.all(Array.from({ length: clientsCount }, () => addClient(service)))
    for (const client of clients)
      for (const endpoint of ['a', 'b']) {
        const path = `/${client.client_id}${endpoint}`
        const made = await shopper(service, client).ok('PUT', '/api/v1/webhooks/', { url: receiver.url + path })
        seen.set(path, { accepted: made.delivered_event_number, repeated: 0, gaps: [] })
      }
    const starts = new Map([...seen].map(([path, { accepted }]) => [path, accepted]))

    const killed = { worker: 0, api: 0 }
    // A worker may be killed before it has done anything: go on until there was something to lose.
    const enough = (): boolean =>
      killed.worker + killed.api >= kills && placed.orders > kills && faultNames.every((name) => fired[name] > 0)
    const api: { address?: string } = {}
    const startAndKill = async (command: 'worker' | 'api'): Promise<void> => {
      while (!enough()) {
        const running = await startProcess(command, settings())
        if (command === 'api') api.address = running.address
        const { orders } = placed
        await sleep(random(1_500))
        // On a slow machine no API process would live long enough for an order.
        if (command === 'api') await eventually(async () => placed.orders > orders || enough())
        await kill(running)
        killed[command]++
      }
    }
    let drained = false
    const retrying = retryUntil(() => drained)
    const ordering = Promise.all(clients.map((client) => orderUntil(client, api, enough)))
    await Promise.all([startAndKill('api'), ...Array.from({ length: workersAtOnce }, () => startAndKill('worker'))])
    await ordering
    const { orders } = placed
    calm = true
    const last = await startProcess('worker', { ...settings(), WEBHOOK_LEASE_MS: '10000' })
    const behind = 'select 1 from webhooks join clients using (client_id) where delivered_event_number < event_number'
    while ((await service.sql(behind)).length > 0) await sleep(100) // The test's own timeout bounds it.
    drained = true
    await retrying
    await kill(last)

    assert(killed.worker > 0 && killed.api > 0 && killed.worker + killed.api >= kills)
    for (const [fault, times] of Object.entries(fired)) assert(times > 0, `${fault} never happened`)
    assert(orders > kills, `only ${orders} orders were placed`)
    const repeated = [...seen.values()].reduce((sum, at) => sum + at.repeated, 0)
    let events = 0
    for (const { client_id } of clients) {
      const [row] = await service.sql('select event_number::integer as last from clients where client_id = $1', [
        client_id,
      ])
      for (const endpoint of ['a', 'b']) {
        const at = seen.get(`/${client_id}${endpoint}`)
        assert(at)
        assert.deepEqual(at.gaps, [])
        assert.equal(at.accepted, row?.['last'])
        events += at.accepted - (starts.get(`/${client_id}${endpoint}`) ?? 0)
      }
    }
    await service.checkInvariants()
    console.log({ killed, fired, orders, events, repeated })
  },
)

const settings = (): Record<string, string> => ({
  DATABASE_URL: service.databaseUrl,
  PORT: '0',
  METRICS_PORT: '0',
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  WEBHOOK_LEASE_MS: '1000',
})

async function kill({ child }: Running): Promise<void> {
  const exit = once(child, 'exit')
  assert(child.kill('SIGKILL'), 'The process ended before it was killed.')
  await exit
}

/** Orders whose response arrived. */
const placed = { orders: 0 }

/** Places orders through the API process that currently runs. */
async function orderUntil(client: TestClient, api: { address?: string }, enough: () => boolean): Promise<void> {
  while (!enough()) {
    try {
      const cart = await request(api, client, 'PUT', '/api/v1/carts/', { name: 'Cart' })
      await request(api, client, 'PUT', `/api/v1/carts/${cart.cart_id}/items/`, {
        item_id: '2',
        stock_id: '1',
        quantity: '1',
      })
      const [group] = await request(api, client, 'GET', `/api/v1/carts/${cart.cart_id}/items/`)
      await request(api, client, 'PUT', '/api/v1/orders/', { cart_group_key: group.cart_group_key, zip: '10115', country_code: 'DE', region_code: 'DE-BE', city: 'Berlin', street: 'Invalidenstraße', home: '116' }) // prettier-ignore
      await request(api, client, 'DELETE', `/api/v1/carts/${cart.cart_id}/`)
      placed.orders++
    } catch {
      await sleep(50)
    }
    await sleep(20)
  }
}

async function request(
  { address }: { address?: string },
  { key }: TestClient,
  method: string,
  path: string,
  form?: Record<string, string>,
): Promise<Body['data']> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: key },
    ...(form ? { body: new URLSearchParams(form) } : {}),
    signal: AbortSignal.timeout(60_000),
  })
  const { status, data } = (await response.json()) as { status: string; data: unknown }
  if (status !== 'ok') throw new Error(path)
  return data
}

/** Makes every retry due at once, and resumes endpoints that answered 410. */
async function retryUntil(done: () => boolean): Promise<void> {
  while (!done()) {
    await service.sql(
      `update webhooks set next_attempt_at = now() where next_attempt_at > now() and paused_reason is null`,
    )
    await service.sql(
      `update webhooks set paused_reason = null, paused_at = null, next_attempt_at = now(), attempts = 0, failing_since = null where paused_reason = 'gone'`,
    )
    await sleep(100)
  }
}
