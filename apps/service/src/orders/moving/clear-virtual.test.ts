/** Virtual orders reserve nothing until an operator clears the mark, and then exactly what they need. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { virtualOrder } from '../../testing/orders.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

interface Racer {
  readonly me: TestClient
  readonly item_id: number
}
let racers: Racer[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  racers = await Promise.all([101, 102, 103, 104].map(async (item_id) => ({ me: await addClient(service), item_id })))
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'R-' || n, '2000000000000', 'Part ' || n from generate_series(101, 104) n;
    insert into prices select 1, n, 1 from generate_series(101, 104) n;
    insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 1000000 from generate_series(101, 104) n;
  `)
})
after(() => service.close())

type Line = Parameters<typeof virtualOrder>[1]

const placeVirtual = (me: TestClient, line: Line): Promise<number> =>
  virtualOrder({ service, me, shop: shopper(service, me), operators }, line)

const clear = (order_id: number): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/clear-virtual/`, { key: operators.keys.decider })

const levelOf = async (stock_id: number, item_id: number): Promise<unknown> =>
  (
    await service.sql('select on_hand::int, reserved::int from stock_levels where stock_id = $1 and item_id = $2', [
      stock_id,
      item_id,
    ])
  )[0]

test('a cleared order reserves its goods, records it in history and event log, and can be shipped', async () => {
  const me = await addClient(service)
  const order_id = await placeVirtual(me, { item_id: 1, quantity: 15, stock_id: 2 })
  assert.deepEqual(await levelOf(2, 1), { on_hand: 20, reserved: 0 })

  const { body } = await clear(order_id)
  assert.equal(body.data.virtual, false)
  assert.deepEqual(await levelOf(2, 1), { on_hand: 20, reserved: 15 })
  const events = await service.sql(
    'select event_number::int, event_type, order_id::int, actor from events where client_id = $1 order by 1',
    [me.client_id],
  )
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['key.issued', 'cart.marked', 'order.created', 'order.changed'],
  )
  const actor = String(events[3]?.['actor'])
  assert.match(actor, /^operator \d+ key \d+$/)
  assert.deepEqual(events[3], {
    event_number: 4,
    event_type: 'order.changed',
    order_id,
    actor,
  })
  for (const state_id of ['processing', 'fulfilling', 'shipped'])
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
  assert.deepEqual(await levelOf(2, 1), { on_hand: 5, reserved: 0 })
  await service.checkInvariants()
})

test('repeating a clear or a mark returns the same response and changes nothing', async () => {
  const me = await addClient(service)
  const order_id = await placeVirtual(me, { item_id: 1, quantity: 1 })
  const first = await clear(order_id)
  const cart_id = await shopper(service, me).createCart()
  const mark = (virtual: boolean): Promise<unknown> =>
    operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual })
  const marked = await mark(true)
  const stored = await databaseDigest(service)
  assert.equal((await clear(order_id)).text, first.text)
  assert.deepEqual(await mark(true), marked)
  assert.deepEqual(await databaseDigest(service), stored)
  assert.deepEqual(await mark(false), { cart_id, cart_name: 'Cart', virtual: false })
})

test("another client's cart cannot be marked", async () => {
  const [me, other] = [await addClient(service), await addClient(service)]
  const cart_id = await shopper(service, other).createCart()
  const stored = await databaseDigest(service)
  const answer = await service.request('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, {
    key: operators.keys.decider,
    json: { virtual: true },
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.code], [404, 'cart_not_found'])
  assert.deepEqual(await databaseDigest(service), stored)
})

test('every item out of stock is reported, even one without a stock level, and nothing is reserved', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual: true })
  for (const [item_id, quantity] of [
    [1, 1],
    [2, 21],
    [3, 7],
  ] as const)
    // prettier-ignore
    await shop.add(cart_id, { item_id, quantity, stock_id: 2 }) // There is no level for item 3 in stock 2.
  const order_id = await shop.order(cart_id)
  const stored = await databaseDigest(service)
  const refused = async (): Promise<unknown> =>
    (await clear(order_id)).body.errors.map(({ code, details }) => [code, details?.['item_id'], details?.['available']])
  assert.deepEqual(await refused(), [
    ['out_of_stock', 2, 20],
    ['out_of_stock', 3, 0],
  ])
  assert.deepEqual(await databaseDigest(service), stored)
  await service.sql('update stock_levels set on_hand = 21 where stock_id = 2 and item_id = 2')
  assert.deepEqual(await refused(), [['out_of_stock', 3, 0]])
  await service.checkInvariants()
})

test('a stock level with back-orders has any quantity', async () => {
  const order_id = await placeVirtual(await addClient(service), { item_id: 4, quantity: 9 })
  assert.equal((await clear(order_id)).status, 200)
  await service.checkInvariants()
})

test('clearing races an order for the last unit: one gets it, the other gets out_of_stock', async () => {
  const outcomes = await countOutcomes(rounds(500), racers, async ({ me, item_id }) => {
    const shop = shopper(service, me)
    const order_id = await placeVirtual(me, { item_id, quantity: 1 })
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id, quantity: 1 })
    const cart_group_key = await shop.groupKey(cart_id)
    await service.sql('update stock_levels set on_hand = reserved + 1 where stock_id = 1 and item_id = $1', [item_id])
    const [cleared, placed] = await atTheSameTime(
      () => clear(order_id),
      () => service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } }),
    )
    await emptyCarts(me)
    return `${shortOf(cleared)}, ${shortOf(placed)}`
  })
  assertAll(outcomes, 'done, out_of_stock', 'out_of_stock, done')
  await service.checkInvariants()
})

const plenty = (item_id: number): Promise<unknown> =>
  service.sql('update stock_levels set on_hand = reserved + 100 where stock_id = 1 and item_id = $1', [item_id])

test('clearing races a cancellation request: the order gets its goods first, or the request comes first and it gets none', async () => {
  const outcomes = await countOutcomes(rounds(500), racers, async ({ me, item_id }) => {
    const order_id = await placeVirtual(me, { item_id, quantity: 2 })
    await plenty(item_id)
    const [cleared, cancelled] = await atTheSameTime(
      () => clear(order_id),
      () => service.request('DELETE', `/api/v1/orders/${order_id}/`, { key: me.key }),
    )
    await emptyCarts(me)
    const [order] = await service.sql('select order_state_id, virtual from orders where order_id = $1', [order_id])
    return `${shortOf(cleared)}, ${shortOf(cancelled)}: ${String(order?.['order_state_id'])}, virtual ${String(order?.['virtual'])}`
  })
  assertAll(
    outcomes,
    'done, done: zayavka-na-otmen, virtual false',
    'virtual_not_clearable, done: zayavka-na-otmen, virtual true',
  )
  await service.checkInvariants()
})

test("clearing races an operator's cancellation and an accepted adjustment: no goods stay reserved", async () => {
  const outcomes = await countOutcomes(rounds(500), racers, async ({ me, item_id }) => {
    const shop = shopper(service, me)
    const order_id = await placeVirtual(me, { item_id, quantity: 2 })
    await plenty(item_id)
    const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, {
      quantity: 5,
    })
    const [cleared, accepted] = await atTheSameTime(
      () => clear(order_id),
      () => operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`),
    )
    assert.deepEqual([shortOf(cleared), accepted.adjustment_status], ['done', 'ACCEPTED'])
    const second = await placeVirtual(me, { item_id, quantity: 2 })
    const [, cancelled] = await atTheSameTime(
      () => clear(second),
      () => operators.ok('POST', `/operator/v1/orders/${second}/move/`, { state_id: 'canceled', text: 'Sold out.' }),
    )
    await emptyCarts(me)
    return `${cancelled.order_state_id}, ${cancelled.virtual ? 'virtual' : 'cleared before'}`
  })
  assertAll(outcomes, 'canceled, virtual', 'canceled, cleared before')
  await service.checkInvariants()
})

async function emptyCarts(me: TestClient): Promise<void> {
  const shop = shopper(service, me)
  for (const { cart_id } of await shop.ok('GET', '/api/v1/carts/')) await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
}

test('a refusal to clear the mark names the lines of the order, not those that were removed', async () => {
  const me = await addClient(service)
  const order_id = await placeVirtual(me, { item_id: 1, quantity: 21, stock_id: 2 })
  const order = `/operator/v1/orders/${order_id}/`
  // Stock 2 has no level of item 101.
  const added = await operators.ok('POST', `${order}items/`, { item_id: 101, quantity: 1, reason: 'By phone.' })
  await operators.ok('PATCH', `${order}items/${added.order_item_id}/`, { quantity: 0, reason: 'Not there.' })
  const { status, body } = await clear(order_id)
  assert.equal(status, 409)
  assert.deepEqual(
    body.errors.map(({ code, details }) => [code, details]),
    [['out_of_stock', { item_id: 1, stock_id: 2, available: 5, requested: 21 }]],
  )
})
