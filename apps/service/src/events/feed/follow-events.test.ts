import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { eventsAfter, lastEvents } from '../../testing/events.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Seen {
  readonly client_id: number
  readonly event_number: number
}

test("a feed reader sees every event once, each client's in order, while twelve clients place orders", async () => {
  const { next_cursor: start } = await lastEvents(service, operators)
  let all = Infinity // Set when the last order has been placed.
  const follow = async (limit: number): Promise<Seen[]> => {
    const seen: Seen[] = []
    for (let cursor = start; seen.length < all;) {
      const page = await operators.ok('GET', `/operator/v1/events/?limit=${limit}&cursor=${cursor}`)
      seen.push(...page.events)
      cursor = page.next_cursor
    }
    return seen
  }
  const followers = [1, 7, 500].map(follow)
  const clients = await Promise.all(Array.from({ length: 12 }, () => addClient(service)))
  await Promise.all(
    // Two programs for each client, so that the statements of one client overlap too.
    [...clients, ...clients].map(async (client) => {
      const shop = shopper(service, client)
      for (let n = 0; n < 25; n++) {
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id: 1, quantity: 1 })
        const order_id = await shop.order(cart_id)
        if (n % 2 === 0) await shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
      }
    }),
  )
  const [row] = await service.sql('select count(*)::integer as events from events')
  all = Number(row?.['events'])
  for (const seen of await Promise.all(followers)) {
    assert.equal(seen.length, all)
    const counts = new Map<number, number>()
    for (const { client_id, event_number } of seen) {
      assert.equal(event_number, (counts.get(client_id) ?? 0) + 1)
      counts.set(client_id, event_number)
    }
  }
})

test('an event that commits late is not skipped: newer ones are held back until it is visible', async () => {
  const [slow, quick] = [await addClient(service), await addClient(service)]
  const { next_cursor } = await lastEvents(service, operators)
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('update clients set event_number = 2 where client_id = $1', [slow.client_id])
  await session.query(
    `insert into events (client_id, event_number, event_type, data, actor, request_id) values ($1, 2, 'test', '{}', 'test', 'test')`,
    [slow.client_id],
  )
  const shop = shopper(service, quick)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  const meanwhile = await operators.ok('GET', `/operator/v1/events/?cursor=${next_cursor}`)
  assert.deepEqual(meanwhile, { events: [], next_cursor })
  await session.query('commit')
  await session.end()
  const events = await eventsAfter<Seen>(operators, next_cursor, 2)
  assert.deepEqual(
    events.map(({ client_id, event_number }) => [client_id, event_number]),
    [
      [slow.client_id, 2],
      [quick.client_id, 2],
    ],
  )
})

test("a client's events come in the order of their numbers, even when the older statement is numbered later", async () => {
  const client = await addClient(service)
  const { next_cursor } = await lastEvents(service, operators)
  const shop = shopper(service, client)
  const order = async (item_id: number, contract_id: number): Promise<number> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id, quantity: 1, contract_id })
    return shop.order(cart_id)
  }
  const [first, second] = [await order(1, client.contract_id), await order(2, client.special_contract_id)]
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('select 1 from stock_levels where stock_id = 1 and item_id = 1 for update')
  const cancel = (order_id: number): Promise<unknown> =>
    operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'Gone.' })
  const waiting = cancel(first) // Has written the order and waits for the stock level.
  while ((await service.sql(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)).length === 0);
  await cancel(second)
  await session.query('commit')
  await session.end()
  await waiting
  const events = await eventsAfter<Seen & { order_id: number }>(operators, next_cursor, 4)
  assert.deepEqual(
    events.map(({ event_number, order_id }) => [event_number, order_id]),
    [
      [2, first],
      [3, second],
      [4, second],
      [5, first],
    ],
  )
})

test('with wait, the feed answers as soon as an event happens, or empty when the time is over', async () => {
  const shop = shopper(service, await addClient(service))
  const { next_cursor } = await lastEvents(service, operators)
  const path = `/operator/v1/events/?cursor=${next_cursor}&wait=`
  const started = performance.now()
  assert.deepEqual(await operators.ok('GET', `${path}1`), { events: [], next_cursor })
  assert(performance.now() - started > 700)
  const waiting = operators.ok('GET', `${path}10`)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  assert.equal((await waiting).events.length, 1)
})

test('with from=now a reader gets the next events and none of the earlier ones, also those that come while it waits', async () => {
  const shop = shopper(service, await addClient(service))
  const order = async (): Promise<number> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 1 })
    return shop.order(cart_id)
  }
  await order()
  await lastEvents(service, operators) // Until the feed shows it: older transactions of the server may delay that.
  const first = await operators.ok('GET', '/operator/v1/events/?from=now')
  assert.deepEqual(first.events, [])
  const waiting = operators.ok('GET', '/operator/v1/events/?from=now&wait=10')
  const placed = await order()
  const [next] = await eventsAfter<{ order_id: number }>(operators, first.next_cursor, 1)
  assert.equal(next?.order_id, placed)
  // The waiting request may have been read before or after the order was placed; it never answers with an earlier event.
  await order()
  let answer = await waiting
  while (answer.events.length === 0)
    // Older transactions of the server may delay both orders for longer than it waits.
    answer = await operators.ok('GET', `/operator/v1/events/?wait=10&cursor=${answer.next_cursor}`)
  const seen = answer.events.map(({ order_id }: { order_id: number }) => order_id)
  assert(
    seen.every((order_id: number) => order_id >= placed),
    JSON.stringify(seen),
  )
})
