/** A count below what is reserved is recorded: nothing new is reserved, and arrivals cover the shortage first. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { databaseDigest } from '../testing/database-digest.ts'
import { makeOperatorWorld, makeOperators, type OperatorWorld } from '../testing/operators.ts'
import { virtualOrder } from '../testing/orders.ts'
import { shortOf } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { address, addFixtures } from '../testing/fixtures.ts'

let service: TestService
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

/** Orders of 4, 3 and 2 pieces, oldest first; one piece more is on hand. */
let orders: number[]
beforeEach(async () => {
  world = await makeOperatorWorld(service, await makeOperators(service))
  await service.sql('update stock_levels set on_hand = reserved + 10 where stock_id = 2 and item_id = 1')
  const [level] = await service.sql('select reserved from stock_levels where stock_id = 2 and item_id = 1')
  assert.equal(Number(level?.['reserved']), 0)
  orders = [await place(4), await place(3), await place(2)]
})

async function cartOf(quantity: number): Promise<string> {
  const cart_id = await world.shop.createCart()
  await world.shop.add(cart_id, { item_id: 1, quantity, stock_id: 2 })
  return world.shop.groupKey(cart_id)
}

const send = (cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: world.me.key, form: { cart_group_key, ...address } })

const place = async (quantity: number): Promise<number> =>
  (await send(await cartOf(quantity))).body.data.created_order_id as number

const count = (on_hand: number, reason = 'Damaged by water.') =>
  world.operators.ok('POST', '/operator/v1/stock-levels/2/1/count/', { on_hand, reason })

const move = (order_id: number | undefined, state_id: string, text?: string): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/move/`, {
    key: world.operators.keys.decider,
    json: { state_id, text },
  })

const level = async (): Promise<unknown> => {
  const [row] = await service.sql(
    'select on_hand::int, reserved::int, shortage::int from stock_levels where stock_id = 2 and item_id = 1',
  )
  return row
}

/** Ships or cancels what is left, so that the next test starts with nothing reserved. */
async function finish(): Promise<void> {
  for (const order_id of orders) await move(order_id, 'canceled', 'Sold out.')
  await service.sql(`update stock_levels set on_hand = 20, back_order = false where stock_id = 2 and item_id = 1`)
  await service.checkInvariants()
}

const short = ({ affected_orders }: { affected_orders: { order_id: number; open: number; short: number }[] }) =>
  affected_orders.map((order) => [order.order_id, order.open, order.short])

test('a count below the reserved pieces lists the newest orders, as far as they cannot be served', async () => {
  assert.deepEqual(short(await count(9)), [])
  const counted = await count(3)
  assert.deepEqual([counted.on_hand, counted.reserved, counted.available, counted.shortage], [3, 9, 0, 6])
  assert.deepEqual(short(counted), [
    [orders[0], 4, 1],
    [orders[1], 3, 3],
    [orders[2], 2, 2],
  ])
  assert.deepEqual(short(await count(6)), [
    [orders[1], 3, 1],
    [orders[2], 2, 2],
  ])
  await service.checkInvariants()
  const [change] = await world.operators.ok('GET', '/operator/v1/catalogue-changes/?limit=1')
  assert.deepEqual(
    [change.changed, change.data],
    [
      'stock-level',
      { stock_id: 2, item_id: 1, on_hand: 6, on_hand_before: 3, shortage: 3, reason: 'Damaged by water.' },
    ],
  )
  assert.match(change.actor, /^operator \d+ key \d+, Test admin$/)
  await finish()
})

test('during a shortage nothing is reserved, not even what a cancellation releases, and nothing missing is shipped', async () => {
  await count(6)
  const key = await cartOf(1)
  assert.equal(shortOf(await send(key)), 'out_of_stock')
  const virtual = await virtualOrder(world, { item_id: 1, quantity: 1, stock_id: 2 })
  const clear = () =>
    service.request('POST', `/operator/v1/orders/${virtual}/clear-virtual/`, { key: world.operators.keys.decider })
  assert.equal(shortOf(await clear()), 'out_of_stock')

  await move(orders[2], 'canceled', 'Sold out.')
  assert.deepEqual(await level(), { on_hand: 6, reserved: 7, shortage: 1 })
  const stored = await databaseDigest(service)
  const refused = await send(key)
  assert.deepEqual(refused.body.errors[0]?.details, { item_id: 1, stock_id: 2, available: 0, requested: 1 })
  assert.deepEqual(await databaseDigest(service), stored)

  for (const order_id of orders.slice(0, 2))
    for (const state_id of ['processing', 'fulfilling']) await move(order_id, state_id)
  assert.equal(shortOf(await move(orders[0], 'shipped')), 'done')
  assert.deepEqual(await level(), { on_hand: 2, reserved: 3, shortage: 1 })
  assert.equal(shortOf(await move(orders[1], 'shipped')), 'goods_missing')
  await service.checkInvariants()
  await finish()
})

test('an arrival covers the shortage first, and the rest can be ordered', async () => {
  await count(6)
  const key = await cartOf(1)
  const arrive = (on_hand: number): Promise<Answer> =>
    service.request('PUT', '/operator/v1/stock-levels/2/1/', { key: world.operators.keys.admin, json: { on_hand } })
  assert.deepEqual((await arrive(8)).body.data.shortage, 1)
  assert.equal(shortOf(await send(key)), 'out_of_stock')
  assert.equal(shortOf(await arrive(7)), 'stock_below_reserved') // Only a count lowers it.
  assert.deepEqual((await arrive(9)).body.data.shortage, 0)
  assert.equal(shortOf(await send(key)), 'out_of_stock')
  assert.deepEqual((await arrive(10)).body.data.available, 1)
  orders.push((await send(key)).body.data.created_order_id as number)
  assert.deepEqual(await level(), { on_hand: 10, reserved: 10, shortage: 0 })
  await finish()
})

test('a level with back-orders has no shortage; its count lists the orders that wait', async () => {
  const set = (back_order: boolean) =>
    world.operators.ok('PUT', '/operator/v1/stock-levels/2/1/', { on_hand: 10, back_order })
  await set(true)
  const counted = await count(5)
  assert.deepEqual([counted.shortage, short(counted)], [0, [[orders[1], 3, 2], [orders[2], 2, 2]]]) // prettier-ignore
  orders.push((await send(await cartOf(1))).body.data.created_order_id as number)
  await service.checkInvariants()
  await finish()
})

test('the count of an item that the stock never had adds its level', async () => {
  const counted = await world.operators.ok('POST', '/operator/v1/stock-levels/2/3/count/', {
    on_hand: 7,
    reason: 'Found behind a shelf.',
  })
  assert.deepEqual([counted.on_hand_before, counted.on_hand, counted.available], [0, 7, 7])
  await finish()
})
