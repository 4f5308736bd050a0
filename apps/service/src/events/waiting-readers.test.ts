import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'prom-client'
import { holdRows } from '../testing/hold-rows.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { countStatements, type StatementCounter } from '../testing/statement-counter.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let counter: StatementCounter

before(async () => {
  service = await startService({
    through: async (url) => {
      counter = await countStatements(url)
      return counter.url
    },
  })
  await addFixtures(service)
})
after(async () => {
  await service.close()
  counter.close()
})

const wait = ({ key }: TestClient, seconds: number): Promise<Answer> =>
  service.request('GET', `/api/v1/events/?after=1&wait=${seconds}`, { key })

/** Fills a cart, and returns the function that orders it. */
async function fillCart(me: TestClient): Promise<() => Promise<unknown>> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return () => shop.order(cart_id)
}

const place = async (me: TestClient): Promise<unknown> => (await fillCart(me))()

const waitingNow = async (): Promise<number> => {
  const metric = await register.getSingleMetric('parts_waiting_readers')?.get()
  return metric?.values[0]?.value ?? 0
}

async function untilWaiting(count: number): Promise<void> {
  while ((await waitingNow()) !== count) await sleep(5)
}

test('a waiting reader is answered as soon as an event happens, or empty when the time is over', async () => {
  const me = await addClient(service)
  const started = performance.now()
  const nothing = await wait(me, 1)
  assert.deepEqual(nothing.body, { status: 'ok', data: [] })
  assert(performance.now() - started > 950)
  const waiting = wait(me, 20)
  await untilWaiting(1)
  await place(me)
  const placed = performance.now()
  assert.equal((await waiting).body.data[0].event_type, 'order.created')
  assert(performance.now() - placed < 5_000) // About 20 ms on an idle machine.
})

test('an event of one client wakes no reader of another', async () => {
  const [me, other] = [await addClient(service), await addClient(service)]
  const orderOf = { me: await fillCart(me), other: await fillCart(other) }
  const waiting = wait(other, 20)
  await untilWaiting(1)
  await orderOf.me()
  await sleep(200)
  assert.equal(await waitingNow(), 1)
  await orderOf.other()
  assert.deepEqual(
    (await waiting).body.data.map(({ event_number }: { event_number: number }) => event_number),
    [2],
  )
})

test('one statement polls for all waiting readers, and none is sent when there are none', async () => {
  const clients = await Promise.all(Array.from({ length: 100 }, () => addClient(service)))
  const orders = await Promise.all(clients.map(fillCart))
  const sent = (): string[] => counter.take().filter((name) => !/-(keys?|sessions)$/.test(name))
  const waiting = clients.map((me) => wait(me, 20))
  await untilWaiting(100)
  sent()
  await sleep(1_000)
  const during = sent()
  assert(during.length >= 1 && during.length <= 1_000 / 15 + 1, `${during.length} statements a second`)
  assert.deepEqual([...new Set(during)], ['newer-events'])
  await Promise.all(orders.map((order) => order()))
  for (const answer of await Promise.all(waiting)) assert.equal(answer.body.data.length, 1)
  await sleep(200)
  sent()
  await sleep(500)
  assert.deepEqual(sent(), [])
})

test('a reader that hangs up is removed at once', async () => {
  const me = await addClient(service)
  const request = http.get({
    port: service.port,
    path: '/api/v1/events/?after=1&wait=20',
    headers: { authorization: me.key },
  })
  request.on('error', () => undefined)
  await untilWaiting(1)
  request.destroy()
  await untilWaiting(0)
})

test('a reader that hung up before it began to wait does not wait', async () => {
  const me = await addClient(service)
  const release = await holdRows(service.databaseUrl, 'lock table events in access exclusive mode')
  counter.take()
  const request = http.get({
    port: service.port,
    path: '/api/v1/events/?after=1&wait=20',
    headers: { authorization: me.key },
  })
  request.on('error', () => undefined)
  while (!counter.take().includes('read-events')) await sleep(5)
  request.destroy()
  await sleep(300)
  await release()
  await sleep(700)
  assert.equal(await waitingNow(), 0)
})

test('a client has at most 20 waiting readers: a new one replaces the oldest', async () => {
  const me = await addClient(service)
  const oldest = wait(me, 20)
  await untilWaiting(1)
  const others = Array.from({ length: 19 }, () => wait(me, 20))
  await untilWaiting(20)
  const another = wait(me, 20)
  assert.deepEqual((await oldest).body.data, [])
  assert.equal(await waitingNow(), 20)
  await place(me)
  for (const answer of await Promise.all([...others, another])) assert.equal(answer.body.data.length, 1)
})

test('a key that is revoked while its reader waits gets no event', async () => {
  const me = await addClient(service)
  const waiting = wait(me, 8)
  await untilWaiting(1)
  await service.sql('update api_keys set revoked_at = now(), changed_at = now() where key_id = $1', [me.key_id])
  await sleep(6_000) // Every process notices within 5 seconds.
  await service.sql(
    `with numbered as (update clients set event_number = 2 where client_id = $1 returning client_id)
     insert into events (client_id, event_number, event_type, data, actor, request_id)
     select client_id, 2, 'client.changed', '{}', 'the tests', 'test' from numbered`,
    [me.client_id],
  )
  assert.equal((await waiting).status, 401)
})

test('a process that shuts down answers its waiting readers at once and closes their connections', async () => {
  const stopping = await startService()
  await addFixtures(stopping)
  const clients = await Promise.all(Array.from({ length: 5 }, () => addClient(stopping)))
  const waiting = clients.map(({ key }) => stopping.request('GET', '/api/v1/events/?after=1&wait=20', { key }))
  await untilWaiting(5)
  const started = performance.now()
  const closed = stopping.app.close()
  for (const answer of await Promise.all(waiting)) {
    assert.deepEqual(answer.body, { status: 'ok', data: [] })
    assert.equal(answer.headers.connection, 'close')
  }
  await closed
  assert(performance.now() - started < 5_000)
  await stopping.close()
})
