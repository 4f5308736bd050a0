/** An operator changes the lines of an order: totals, stock and limit follow, and the client reads why. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { order, orderOfLines, shipPart } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'

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
  world = await makeOperatorWorld(service, operators)
})

const change = (order_id: number, line: number, quantity: number, more = {}) =>
  operators.ok('PATCH', `/operator/v1/orders/${order_id}/items/${line}/`, { quantity, reason: 'Damaged.', ...more })

const add = (order_id: number, item_id: number, quantity: number, more = {}) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/items/`, { item_id, quantity, reason: 'By phone.', ...more })

const move = (order_id: number, state_id: string, text?: string) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id, text })

interface Shown {
  readonly order_state_id: string
  readonly order_total: number
  readonly order_discount: number
  readonly order_tax: number
  readonly order_history: { group: string; state_id: string; text: string }[]
  readonly items: { order_item_quantity: number; order_item_price: number; order_item: { item_id: number } }[]
}

const read = (order_id: number): Promise<Shown> =>
  world.shop.ok('GET', `/api/v1/orders/${order_id}/?include=address,items,terms,shipments,reference`)

const linesIn = ({ items }: Shown): number[][] =>
  items.map(({ order_item: { item_id }, order_item_quantity }) => [item_id, order_item_quantity])

const totalsOf = (shown: Shown): number[] => [shown.order_total, shown.order_discount, shown.order_tax]

const eventsSince = async (number: number): Promise<{ event_type: string; data: Shown }[]> =>
  world.shop.ok('GET', `/api/v1/events/?after=${number}`)

const eventCount = async (): Promise<number> => (await world.shop.ok('GET', '/api/v1/events/')).length

async function held(item_id: number, contract_id = world.me.contract_id): Promise<number[]> {
  const [row] = await service.sql(
    `select (select exposure::float8 from contracts where contract_id = $1) as exposure,
       (select reserved::float8 from stock_levels where stock_id = 1 and item_id = $2) as reserved`,
    [contract_id, item_id],
  )
  return [Number(row?.['exposure']), Number(row?.['reserved'])]
}

test('reducing a line in fulfilling changes totals by the order terms, stock and exposure, and says why', async () => {
  const contract_id = world.me.limited_contract_id
  const [, reserved] = await held(1, contract_id)
  const { order_id, lineOf } = await orderOfLines(world, [{ item_id: 1, quantity: 10, contract_id }])
  await service.sql('update contracts set discount_percent = 50, tax_percent = 0 where contract_id = $1', [contract_id])
  await move(order_id, 'processing')
  await move(order_id, 'fulfilling')
  const number = await eventCount()
  const changed = await change(order_id, lineOf(1), 6)
  // 60.00, less 5% is 57.00, plus 10% is 62.70.
  assert.deepEqual([changed.total_before, changed.total_after, changed.limit_left_after], [104.5, 62.7, 937.3])
  const shown = await read(order_id)
  assert.deepEqual(totalsOf(shown), [62.7, 3, 5.7])
  const { group, state_id, text } = shown.order_history[0] ?? {}
  assert.deepEqual([group, state_id, text], ['Change of items', 'fulfilling', 'BN-280-V: 10 → 6. Damaged.'])
  assert.deepEqual(await held(1, contract_id), [62.7, Number(reserved) + 6])
  const events = await eventsSince(number)
  assert.deepEqual(
    events.map(({ event_type, data }) => [event_type, linesIn(data), totalsOf(data)]),
    [['order.items_changed', [[1, 6]], [62.7, 3, 5.7]]],
  )
  await service.checkInvariants()
})

test('a change closes the open adjustment of its line, and no other', async () => {
  const { shop } = world
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const ask = async (item_id: number): Promise<number> =>
    (await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${lineOf(item_id)}/`, { quantity: 1 })).adjustment_id
  const [disc, filter] = [await ask(1), await ask(2)]
  assert.equal((await change(order_id, lineOf(1), 2, { dry_run: true })).closed_adjustment_id, disc)
  assert.equal((await change(order_id, lineOf(1), 2)).closed_adjustment_id, disc)
  const listed = await shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/`)
  assert.deepEqual(
    listed.map((one: Record<string, unknown>) => [
      one['adjustment_id'],
      one['adjustment_status'],
      one['adjustment_canceled_message'],
    ]),
    [
      [filter, 'WAIT', null],
      [disc, 'CANCELED', 'The distributor changed the quantity to 2.'],
    ],
  )
  await service.checkInvariants()
})

test('removing the last line cancels the order and releases stock and limit; earlier events keep their lines', async () => {
  const before_ = await held(1)
  const { order_id, lineOf } = await orderOfLines(world, [{ item_id: 1, quantity: 3 }])
  const number = await eventCount()
  assert.equal((await change(order_id, lineOf(1), 0)).state_after, 'canceled')
  assert.deepEqual(await held(1), before_)
  const shown = await read(order_id)
  assert.deepEqual(
    shown.order_history.map(({ state_id, text }) => [state_id, text]),
    [
      ['canceled', 'The last item was removed.'],
      ['new', 'BN-280-V: 3 → 0. Damaged.'],
      ['new', ''],
    ],
  )
  const events = await eventsSince(number - 1)
  assert.deepEqual(
    events.map(({ event_type, data }) => [event_type, data.order_state_id, linesIn(data)]),
    [
      ['order.created', 'new', [[1, 3]]],
      ['order.items_changed', 'new', []],
      ['order.state_changed', 'canceled', []],
    ],
  )
  await service.checkInvariants()
})

test('an order of which nothing is left to ship is shipped, and still counts against the limit', async () => {
  const { order_id, order_item_id } = await order(world)
  await move(order_id, 'processing')
  await move(order_id, 'fulfilling')
  await shipPart(world, order_id, 2)
  const [, reserved] = await held(1)
  const preview = await change(order_id, order_item_id, 2, { dry_run: true })
  assert.deepEqual([preview.state_before, preview.state_after], ['fulfilling', 'shipped'])
  await change(order_id, order_item_id, 2)
  const shown = await read(order_id)
  assert.deepEqual([shown.order_state_id, shown.order_history[0]?.text], ['shipped', 'Nothing is left to ship.'])
  assert.deepEqual(await held(1), [20, Number(reserved) - 1])
  await service.checkInvariants()
})

test('a line is raised in processing; a dry run changes nothing and shows what the change then does', async () => {
  const { order_id, order_item_id } = await order(world)
  await move(order_id, 'processing')
  const before_ = await databaseDigest(service)
  const preview = await change(order_id, order_item_id, 7, { dry_run: true })
  const addition = await add(order_id, 2, 4, { dry_run: true })
  assert.deepEqual(await databaseDigest(service), before_)
  assert.deepEqual(await change(order_id, order_item_id, 7), { ...preview, dry_run: false })
  const added = await add(order_id, 2, 4)
  assert.deepEqual(
    { ...added, order_item_id: null, dry_run: true },
    { ...addition, total_before: 70, total_after: 80, tax_before: 11.67, tax_after: 13.33 },
  )
  assert.deepEqual(linesIn(await read(order_id)), [
    [1, 7],
    [2, 4],
  ])
  await service.checkInvariants()
})

test('an added line has the price of today and the terms of the order; earlier events do not show it', async () => {
  const contract_id = world.me.limited_contract_id
  const { order_id } = await orderOfLines(world, [{ item_id: 1, quantity: 10, contract_id }])
  await service.sql('update contracts set discount_percent = 50, price_list_id = 2 where contract_id = $1', [
    contract_id,
  ])
  const number = await eventCount()
  const added = await add(order_id, 6, 2) // 5.00 in list 2.
  const shown = await read(order_id)
  assert.deepEqual(
    shown.items.map(({ order_item_price }) => order_item_price),
    [10, 5],
  )
  // 110.00, less 5% is 104.50, plus 10% is 114.95.
  assert.deepEqual([...totalsOf(shown), added.total_after], [114.95, 5.5, 10.45, 114.95])
  assert.equal(shown.order_history[0]?.text, 'ЖK-8: 0 → 2. By phone.')
  const events = await eventsSince(number - 1)
  assert.deepEqual(
    events.map(({ event_type, data }) => [event_type, linesIn(data)]),
    [
      ['order.created', [[1, 10]]],
      ['order.items_changed', [[1, 10], [6, 2]]],
    ],
  ) // prettier-ignore
  await service.checkInvariants()
})

test('an item that was removed can be added again: it is a new line, and cancelling releases exactly its goods', async () => {
  const before_ = [await held(1), await held(2)]
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 1 },
  ])
  await change(order_id, lineOf(1), 0)
  await add(order_id, 1, 5)
  assert.deepEqual(linesIn(await read(order_id)), [
    [2, 1],
    [1, 5],
  ])
  await service.checkInvariants()
  await move(order_id, 'canceled', 'Sold out.')
  assert.deepEqual([await held(1), await held(2)], before_)
  await service.checkInvariants()
})
