/** When a stock can ship a quantity: what clients are shown with `include=promise`. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addFixtures, shopper } from '../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { day } from '../testing/world.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

beforeEach(async () => {
  await service.sql(`update stocks set lead_days = 0, closed_weekdays = '{}', cut_off = null`)
  await service.sql('delete from stock_arrivals')
  await service.sql('delete from stock_closed_days')
  world = await makeOperatorWorld(service, operators)
  await setLevel(10)
})

/** What the stock has free of item 1, whatever earlier tests have reserved. */
const setLevel = async (free: number): Promise<unknown> =>
  service.sql(
    `update stock_levels set on_hand = reserved + $1, back_order = false, shortage = 0
     where stock_id = 1 and item_id = 1`,
    [free],
  )

const expect = async (...arrivals: readonly (readonly [date: string, quantity: number])[]): Promise<unknown> =>
  operators.ok('PUT', '/operator/v1/stock-levels/1/1/arrivals/', {
    arrivals: arrivals.map(([date, quantity]) => ({ date, quantity })),
  })

interface Shown {
  quantity: number
  available: number
  arrivals: object[]
  earliest_shipping_date: string | null
}

async function promised(quantity: number): Promise<Shown> {
  const { shop } = world
  const path = `/api/v1/items/1/?include=promise&quantity=${quantity}`
  const item = await shop.ok('GET', path)
  const [first] = item.availability
  assert.equal(first.stock_id, 1)
  const listed = await shop.ok('GET', `/api/v1/items/?articles=bn280v&include=promise&quantity=${quantity}`)
  assert.deepEqual(listed[0].availability, item.availability)
  return first.promise
}

const dayOf = async (quantity: number): Promise<string | null> => (await promised(quantity)).earliest_shipping_date

test('what is free ships today, or after the lead time, which begins tomorrow once the cut-off time has passed', async () => {
  assert.deepEqual(await promised(10), {
    quantity: 10,
    available: 10,
    arrivals: [],
    earliest_shipping_date: day(0),
  })
  await service.sql(`update stocks set cut_off = '24:00' where stock_id = 1`)
  assert.equal(await dayOf(10), day(0))
  await service.sql(`update stocks set cut_off = '00:00' where stock_id = 1`)
  assert.equal(await dayOf(10), day(1))
  await service.sql('update stocks set lead_days = 2 where stock_id = 1')
  assert.equal(await dayOf(10), day(3))
  await service.sql('update stocks set cut_off = null where stock_id = 1')
  assert.equal(await dayOf(10), day(2))
})

test('closed days do not count, and the first day of rescheduling and of the totals has the cut-off time too', async () => {
  const { shop } = world
  await service.sql(`update stocks set cut_off = '00:00', lead_days = 1 where stock_id = 1`)
  for (const closed of [day(1), day(3)]) await service.sql('insert into stock_closed_days values (1, $1)', [closed])
  assert.equal(await dayOf(10), day(4))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 2 })
  const [group] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/?include=totals`)
  assert.equal(group.totals.earliest_shipping_date, day(4))
  const order_id = await shop.order(cart_id)
  const { actions } = await shop.ok('GET', `/api/v1/orders/${order_id}/?include=actions`)
  assert.equal(actions.reschedule.earliest_date, day(4))
})

test('what is not free ships with the first arrival that makes it enough, and never if none does', async () => {
  await expect([day(9), 30], [day(5), 20])
  const arrivals = [
    { date: day(5), quantity: 20 },
    { date: day(9), quantity: 30 },
  ]
  assert.deepEqual(await promised(11), {
    quantity: 11,
    available: 10,
    arrivals,
    earliest_shipping_date: day(5),
  })
  const days = []
  for (const quantity of [10, 30, 31, 60, 61]) days.push(await dayOf(quantity))
  assert.deepEqual(days, [day(0), day(5), day(9), day(9), null])
  await service.sql('update stocks set lead_days = 1 where stock_id = 1')
  await service.sql('insert into stock_closed_days values (1, $1)', [day(5)])
  assert.equal(await dayOf(30), day(7), 'the lead time begins on the first open day after the arrival')
})

test('an arrival counts today, also with the cut-off time of today, and no more when its day has passed', async () => {
  await expect([day(-1), 100], [day(0), 5])
  assert.deepEqual(await promised(15), {
    quantity: 15,
    available: 10,
    arrivals: [{ date: day(0), quantity: 5 }],
    earliest_shipping_date: day(0),
  })
  assert.equal(await dayOf(16), null)
  await service.sql(`update stocks set cut_off = '00:00' where stock_id = 1`)
  assert.equal(await dayOf(15), day(1))
  const { arrivals } = await operators.ok('GET', '/operator/v1/stock-levels/1/1/arrivals/')
  assert.deepEqual(arrivals, [
    { date: day(-1), quantity: 100 },
    { date: day(0), quantity: 5 },
  ])
})

test('arrivals cover back-orders and shortages first', async () => {
  await service.sql(
    `update stock_levels set on_hand = 0, reserved = 40, back_order = true where stock_id = 1 and item_id = 1`,
  )
  await expect([day(3), 45])
  assert.deepEqual([await dayOf(5), await dayOf(6)], [day(3), null])
  assert.equal((await promised(5)).available, 0)
  await service.sql(`update stock_levels set back_order = false, shortage = 40 where stock_id = 1 and item_id = 1`)
  assert.deepEqual([await dayOf(5), await dayOf(6)], [day(3), null])
  await service.sql('update stock_levels set on_hand = 50, reserved = 0 where stock_id = 1 and item_id = 1')
})

test('a line of a cart shows it for its own quantity, alone and beside the totals', async () => {
  const { shop } = world
  await expect([day(6), 20])
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 12 })
  const expected = {
    quantity: 12,
    available: 10,
    arrivals: [{ date: day(6), quantity: 20 }],
    earliest_shipping_date: day(6),
  }
  const path = `/api/v1/carts/${cart_id}/items/`
  const [plain] = await shop.ok('GET', path)
  const [{ cart_items, ...group }] = await shop.ok('GET', `${path}?include=promise`)
  const { cart_items: plainItems, ...plainGroup } = plain
  assert.deepEqual(group, plainGroup)
  assert.deepEqual(cart_items, [{ ...plainItems[0], promise: expected }])
  const [full] = await shop.ok('GET', `${path}?include=totals,promise`)
  assert.deepEqual(full.cart_items[0].promise, expected)
  assert.deepEqual(full.cart_items[0].availability, { available: 10, sufficient: false, refusals: ['out_of_stock'] })
})

test('an order shows it for what is open: back-orders are served in the order of their creation', async () => {
  const { shop } = world
  const place = async (quantity: number, of = shop): Promise<number> => {
    const cart_id = await of.createCart()
    await of.add(cart_id, { item_id: 1, quantity })
    return of.order(cart_id)
  }
  const shown = async (order_id: number, of = shop) =>
    (await of.ok('GET', `/api/v1/orders/${order_id}/?include=promise`)).promise.map(
      ({ promise }: { promise: Shown }) => [promise.quantity, promise.earliest_shipping_date],
    )
  const other = shopper(service, (await makeOperatorWorld(service, operators)).me)
  await service.sql('update stock_levels set on_hand = 0, reserved = 0, back_order = true where stock_id = 1')
  await service.sql(`update orders set order_state_id = 'canceled' where order_state_id = 'new'`)
  await expect([day(4), 10], [day(8), 10])
  const first = await place(8)
  const second = await place(4, other)
  const third = await place(9)
  assert.deepEqual(
    [await shown(first), await shown(second, other), await shown(third)],
    [[[8, day(4)]], [[4, day(8)]], [[9, null]]],
  )
  await service.sql('update stock_levels set on_hand = 12 where stock_id = 1 and item_id = 1')
  assert.deepEqual(
    [await shown(first), await shown(second, other), await shown(third)],
    [[[8, day(0)]], [[4, day(0)]], [[9, day(4)]]],
  )
  await service.sql(`update orders set order_state_id = 'canceled' where order_id = $1`, [third])
  await service.sql('update stock_levels set reserved = 12 where stock_id = 1 and item_id = 1')
  assert.deepEqual(await shown(third), [], 'nothing is open in a cancelled order')
  assert.deepEqual((await shop.ok('GET', `/api/v1/orders/${first}/`)).promise, undefined)
  const refused = await service.request('GET', '/api/v1/orders/?include=promise', { key: world.me.key })
  assert.deepEqual([refused.status, refused.body.errors[0]?.field], [400, 'include'])
})

test('an arrival that moves between showing and ordering changes neither the key nor the order', async () => {
  const { shop } = world
  await expect([day(6), 20])
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const cart_group_key = await shop.groupKey(cart_id)
  await expect([day(20), 1])
  assert.equal(await shop.groupKey(cart_id), cart_group_key)
  assert.equal(typeof (await shop.order(cart_id)), 'number')
})

test('arrivals are replaced as a whole, recorded with old and new ones, and a level that is not there is added', async () => {
  const path = '/operator/v1/stock-levels/3/4/arrivals/'
  await service.sql('delete from stock_levels where stock_id = 3 and item_id = 4')
  const arrivals = [{ date: day(2), quantity: 7 }]
  const set = await operators.ok('PUT', path, { arrivals })
  assert.deepEqual(set, { stock_id: 3, item_id: 4, arrivals })
  assert.deepEqual(await operators.ok('PUT', path, { arrivals }), set)
  assert.deepEqual(await operators.ok('GET', path), set)
  assert.deepEqual(await operators.ok('PUT', path, { arrivals: [] }), { ...set, arrivals: [] })
  const log = await operators.ok('GET', '/operator/v1/catalogue-changes/?limit=2')
  assert.deepEqual(
    log.map(({ changed, data }: { changed: string; data: object }) => [changed, data]),
    [
      ['stock-level', { stock_id: 3, item_id: 4, arrivals: [], arrivals_before: arrivals }],
      ['stock-level', { stock_id: 3, item_id: 4, arrivals, arrivals_before: [] }],
    ],
  )
  const [level] = await operators.ok('GET', '/operator/v1/stock-levels/?stock_id=3&item_id=4')
  assert.deepEqual([level.on_hand, level.reserved], [0, 0])
})

test('a list with a day twice, without a quantity or with too many days is refused, and nothing changes', async () => {
  await expect([day(6), 20])
  const before = await operators.ok('GET', '/operator/v1/stock-levels/1/1/arrivals/')
  const thirtyOne = Array.from({ length: 31 }, (_, n) => ({ date: day(n), quantity: 1 }))
  const bad = [
    [
      { date: day(1), quantity: 1 },
      { date: day(1), quantity: 2 },
    ],
    [{ date: day(1), quantity: 0 }],
    [{ date: '2026-02-30', quantity: 1 }],
    [{ date: day(1) }],
    thirtyOne,
  ]
  for (const arrivals of bad) {
    const answer = await service.request('PUT', '/operator/v1/stock-levels/1/1/arrivals/', {
      key: operators.keys.admin,
      json: { arrivals },
    })
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'arrivals'], JSON.stringify(arrivals))
  }
  assert.deepEqual(await operators.ok('GET', '/operator/v1/stock-levels/1/1/arrivals/'), before)
})
