/** Accepting quantity 0 removes the line, and an order without lines is cancelled. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { InboxEntry } from './inbox-entry.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { order, orderOfLines, virtualOrder } from '../../testing/orders.ts'
import { startService, type Body, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

async function ask({ shop }: OperatorWorld, order_id: number, line: number, quantity: number): Promise<number> {
  return (await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line}/`, { quantity })).adjustment_id as number
}

const accept = (adjustment_id: number) => operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)

const eventsAfter = ({ shop }: OperatorWorld, number: number): Promise<{ event_type: string; data: Body['data'] }[]> =>
  shop.ok('GET', `/api/v1/events/?after=${number}`)

const lastNumber = async ({ shop }: OperatorWorld): Promise<number> => (await shop.ok('GET', '/api/v1/events/')).length

const changesOf = (order_id: number): Promise<unknown[]> =>
  service.sql(
    `select entry, order_item_id::integer, quantity_before, quantity_after from order_item_changes
     where order_id = $1 order by entry`,
    [order_id],
  )

async function heldBy({ me }: OperatorWorld, contract_id: number): Promise<unknown> {
  const [row] = await service.sql(
    `select (select exposure::float8 from contracts where client_id = $1 and contract_id = $2) as exposure,
       (select reserved::integer from stock_levels where stock_id = 1 and item_id = 1) as reserved`,
    [me.client_id, contract_id],
  )
  return row
}

test('accepting 0 removes the line and keeps its row for history and adjustments; the order goes on', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const adjustment_id = await ask(world, order_id, lineOf(1), 0)
  const accepted = await accept(adjustment_id)
  assert.equal(accepted.adjustment_items[0].difference, -3)
  const shown = await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)
  assert.deepEqual(
    [shown.order_state_id, shown.order_total, shown.order_history[0].text],
    ['new', 10, 'BN-280-V: 3 → 0'],
  )
  assert.deepEqual(await changesOf(order_id), [
    { entry: 2, order_item_id: lineOf(1), quantity_before: 3, quantity_after: 0 },
  ])
  const items = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  assert.deepEqual(
    items.map(({ order_item_id }: { order_item_id: number }) => order_item_id),
    [lineOf(2)],
  )
  const [listed] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/?include=request`)
  assert.equal(listed.request.order_item_id, lineOf(1))
  await service.checkInvariants()
})

test('each accepted adjustment stores the quantities before and after with its history entry', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, order_item_id } = await order(world)
  for (const quantity of [5, 1]) await accept(await ask(world, order_id, order_item_id, quantity))
  assert.deepEqual(await changesOf(order_id), [
    { entry: 2, order_item_id, quantity_before: 3, quantity_after: 5 },
    { entry: 3, order_item_id, quantity_before: 5, quantity_after: 1 },
  ])
})

test('accepting 0 for the last line cancels the order, releases stock and limit, and records both changes', async () => {
  const world = await makeOperatorWorld(service, operators)
  const contract_id = world.me.limited_contract_id // Less 5%, plus 10%.
  const before_ = await heldBy(world, contract_id)
  const { order_id, lineOf } = await orderOfLines(world, [{ item_id: 1, quantity: 10, contract_id }])
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  const adjustment_id = await ask(world, order_id, lineOf(1), 0)
  const number = await lastNumber(world)
  await accept(adjustment_id)

  const shown = await world.shop.ok(
    'GET',
    `/api/v1/orders/${order_id}/?include=address,items,terms,shipments,reference`,
  )
  assert.deepEqual(shown.items, [])
  assert.deepEqual(await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`), [])
  assert.deepEqual(
    [shown.order_state_id, shown.order_total, shown.order_discount, shown.order_tax],
    ['canceled', 0, 0, 0],
  )
  const history = shown.order_history.map(
    ({ group, state_id, text }: { group: string; state_id: string; text: string }) => [group, state_id, text],
  )
  assert.deepEqual(history, [
    ['Change of status', 'canceled', 'The last item was removed.'],
    ['Change of items', 'processing', 'BN-280-V: 10 → 0'],
    ['Change of status', 'processing', ''],
    ['Change of status', 'new', ''],
  ])
  assert.deepEqual(await changesOf(order_id), [
    { entry: 3, order_item_id: lineOf(1), quantity_before: 10, quantity_after: 0 },
  ])
  assert.deepEqual(await heldBy(world, contract_id), before_)

  const events = await eventsAfter(world, number)
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['order.items_changed', 'adjustment.decided', 'order.state_changed'],
  )
  const [changed, decided, cancelled] = events.map(({ data }) => data)
  assert.deepEqual(changed, { ...shown, order_state_id: 'processing', order_history: shown.order_history.slice(1) })
  assert.deepEqual(
    decided,
    await world.shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/?include=request`),
  )
  assert.deepEqual(cancelled, shown)
  await service.checkInvariants()
})

test('an order whose lines were removed one by one is cancelled with the last one', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const [first, second] = [await ask(world, order_id, lineOf(1), 0), await ask(world, order_id, lineOf(2), 0)]
  await accept(first)
  assert.equal((await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_state_id, 'new')
  await accept(second)
  assert.equal((await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_state_id, 'canceled')
  const refused = await service.request('PATCH', `/api/v1/orders/${order_id}/items/${lineOf(2)}/`, {
    key: world.me.key,
    form: { quantity: 1 },
  })
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [404, 'order_item_not_found'])
  await service.checkInvariants()
})

test('a virtual order without lines is cancelled and releases no stock', async () => {
  const world = await makeOperatorWorld(service, operators)
  const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
  const before_ = await heldBy(world, world.me.contract_id)
  const [line] = await service.sql('select order_item_id from order_items where order_id = $1', [order_id])
  await accept(await ask(world, order_id, Number(line?.['order_item_id']), 0))
  assert.deepEqual(await heldBy(world, world.me.contract_id), { ...(before_ as object), exposure: 0 })
  assert.equal((await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_state_id, 'canceled')
  await service.checkInvariants()
})

test('open adjustments of lines that an earlier version left at 0 are dropped with the order', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  await accept(await ask(world, order_id, lineOf(1), 0))
  const [left] = await service.sql(
    `insert into adjustments (client_id, order_id, order_item_id, quantity_before, quantity_wanted)
     values ($1, $2, $3, 0, 2) returning adjustment_id::integer`,
    [world.me.client_id, order_id, lineOf(1)],
  )
  const last = await ask(world, order_id, lineOf(2), 0)
  const number = await lastNumber(world)
  await accept(last)
  const events = await eventsAfter(world, number)
  assert.deepEqual(
    events.map(({ event_type, data }) => [event_type, data.adjustment_id, data.adjustment_canceled_message]),
    [
      ['order.items_changed', undefined, undefined],
      ['adjustment.decided', last, null],
      ['order.state_changed', undefined, undefined],
      ['adjustment.decided', left?.['adjustment_id'], 'The order has moved on to the state canceled.'],
    ],
  )
  assert.equal(events[3]?.data.request.decided_by, 'distributor')
  await service.checkInvariants()
})

test('the inbox shows that accepting would cancel the order, and what that releases', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const inbox = async (): Promise<unknown[]> => {
    const entries: InboxEntry[] = await operators.ok('GET', '/operator/v1/inbox/?limit=500')
    return entries
      .filter((entry) => entry.order_id === order_id)
      .map(({ state_before, state_after, contract, items, request }) => [
        state_before,
        state_after,
        contract.change,
        items.map(({ quantity_before, quantity_after }) => [quantity_before, quantity_after]),
        request && [request.order_item_id, request.requested_quantity],
      ])
  }
  const first = await ask(world, order_id, lineOf(1), 0)
  assert.deepEqual(await inbox(), [['new', 'new', -30, [[3, 0]], [lineOf(1), 0]]])
  await accept(first)
  await ask(world, order_id, lineOf(2), 0)
  assert.deepEqual(await inbox(), [['new', 'canceled', -10, [[4, 0]], [lineOf(2), 0]]])
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  assert.deepEqual(await inbox(), [['new', 'canceled', -10, [[4, 0]], null]]) // Without the removed line.
})
