/** Events of orders and adjustments show what a GET showed at that moment, in the time zone and labels of the service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actorKind } from '../identity/actor.ts'
import { archiveOrders } from '../orders/moving/archive-orders.ts'
import { eventsAfter, lastEvents } from '../testing/events.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { exampleAddress, exampleRemarks } from '../orders/order-input.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService({
    settings: {
      SERVICE_TIME_ZONE: 'America/St_Johns', // An offset of half an hour, and daylight saving time.
      STATE_LABELS: '{"new":"Neu","canceled":"Storniert"}',
    },
  })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface LoggedEvent {
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
  readonly data: Record<string, unknown>
}

/** Runs an action and returns the events that it recorded. */
async function eventsOf(me: TestClient, act: () => Promise<unknown>): Promise<LoggedEvent[]> {
  const { next_cursor } = await lastEvents(service, operators)
  const before_ = await numberOf(me)
  await act()
  const count = (await numberOf(me)) - before_
  return count === 0 ? [] : eventsAfter<LoggedEvent>(operators, next_cursor, count)
}

const numberOf = async ({ client_id }: TestClient): Promise<number> =>
  Number((await service.sql('select event_number from clients where client_id = $1', [client_id]))[0]?.['event_number'])

/** A client with one order, and the actions on it. */
async function follow(line: { item_id: number; quantity: number; contract_id?: number }, virtual = false) {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, line)
  if (virtual) await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual: true })
  let order_id = 0
  const placed = await eventsOf(me, async () => {
    order_id = await shop.order(cart_id)
  })
  const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const adjustmentsOf = (): Promise<{ adjustment_id: number }[]> =>
    shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/?include=request`)
  return {
    me,
    shop,
    order_id,
    placed,
    recorded: (act: () => Promise<unknown>) => eventsOf(me, act),
    order: () => shop.ok('GET', `/api/v1/orders/${order_id}/?include=address,items,terms,shipments,reference`),
    adjustments: adjustmentsOf,
    move: (state_id: string) =>
      operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id, text: 'As agreed.' }),
    adjust: (quantity: number) => shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity }),
    decide: async (decision: 'accept' | 'reject') => {
      const [{ adjustment_id }] = (await adjustmentsOf()) as [{ adjustment_id: number }]
      const reason = decision === 'reject' ? { message: 'Sold out.' } : undefined
      return operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/${decision}/`, reason)
    },
  }
}

const types = (events: readonly LoggedEvent[]): string[] => events.map(({ event_type }) => event_type)

/** As the client reads it: the feed also names who decided an adjustment. */
const data = (events: readonly LoggedEvent[]): unknown[] =>
  events.map((event) => {
    const request = event.data['request'] as { decided_by: string | null } | undefined
    if (request?.decided_by == null) return event.data
    return { ...event.data, request: { ...request, decided_by: actorKind(request.decided_by) } }
  })

test('order.created carries the order', async () => {
  const { placed, order, order_id } = await follow({ item_id: 1, quantity: 3 })
  assert.deepEqual(types(placed), ['order.created'])
  assert.equal(placed[0]?.order_id, order_id)
  const shown = await order()
  assert.deepEqual(data(placed), [shown])
  assert.equal(shown.order_history[0].value, 'Neu')
})

test('order.state_changed carries the order at every step, with its whole history', async () => {
  const { recorded, move, order, shop, order_id } = await follow({ item_id: 1, quantity: 3 })
  for (const state of ['processing', 'fulfilling', 'shipped', 'completed']) {
    const events = await recorded(() => move(state))
    const shown = await order()
    const shipped = state === 'shipped' ? { 'order.shipped': { ...shown, shipment: shown.shipments[0] } } : {}
    const expected = { ...shipped, 'order.state_changed': shown }
    assert.deepEqual(types(events), Object.keys(expected))
    assert.deepEqual(data(events), Object.values(expected))
  }
  const cancelled = await follow({ item_id: 1, quantity: 3 })
  const requested = await cancelled.recorded(() => cancelled.shop.ok('DELETE', `/api/v1/orders/${cancelled.order_id}/`))
  assert.deepEqual(types(requested), ['order.state_changed'])
  assert.deepEqual(data(requested), [await cancelled.order()])
  assert.equal((await shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_history.length, 5)
})

test('order.rescheduled and order.changed carry the order', async () => {
  const virtual = await follow({ item_id: 1, quantity: 3 }, true)
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const rescheduled = await virtual.recorded(() =>
    virtual.shop.ok('PATCH', `/api/v1/orders/${virtual.order_id}/`, { shipping_date: day }),
  )
  assert.deepEqual(types(rescheduled), ['order.rescheduled'])
  assert.deepEqual(data(rescheduled), [await virtual.order()])
  assert.equal(rescheduled[0]?.data['order_shipping_datetime'], `${day} 00:00:00`)
  const cleared = await virtual.recorded(() =>
    operators.ok('POST', `/operator/v1/orders/${virtual.order_id}/clear-virtual/`),
  )
  assert.deepEqual(types(cleared), ['order.changed'])
  assert.deepEqual(data(cleared), [await virtual.order()])
})

test('order.archived carries the order', async () => {
  const { recorded, move, order, order_id } = await follow({ item_id: 1, quantity: 3 })
  await move('canceled')
  await service.sql(`update orders set order_update_datetime = now() - interval '100 days' where order_id = $1`, [
    order_id,
  ])
  const events = await recorded(() => Array.fromAsync(archiveOrders(service.db, { after_days: 90, request_id: 'run' })))
  assert.deepEqual(types(events), ['order.archived'])
  assert.deepEqual(data(events), [await order()])
})

test('adjustment.created and adjustment.decided carry the adjustment; accepting it, the order too', async () => {
  const { recorded, adjust, decide, adjustments, order } = await follow({ item_id: 1, quantity: 3 })
  const first = await recorded(() => adjust(5))
  assert.deepEqual(types(first), ['adjustment.created'])
  assert.deepEqual(data(first), await adjustments())

  const second = await recorded(() => adjust(4)) // Replaces the first one.
  assert.deepEqual(types(second), ['adjustment.decided', 'adjustment.created'])
  assert.deepEqual(data(second), (await adjustments()).toReversed())

  const rejected = await recorded(() => decide('reject'))
  assert.deepEqual(types(rejected), ['adjustment.decided'])
  assert.deepEqual(data(rejected), (await adjustments()).slice(0, 1))

  await adjust(2)
  const accepted = await recorded(() => decide('accept'))
  assert.deepEqual(types(accepted), ['order.items_changed', 'adjustment.decided'])
  assert.deepEqual(data(accepted), [await order(), (await adjustments())[0]])
})

test('an order that moves on, or whose cancellation is requested, records the adjustments that it drops', async () => {
  for (const go of ['move', 'cancel'] as const) {
    const { recorded, adjust, move, order, order_id, shop, adjustments } = await follow({ item_id: 1, quantity: 3 })
    await move('processing')
    await adjust(5)
    const events = await recorded(() =>
      go === 'move' ? move('fulfilling') : shop.ok('DELETE', `/api/v1/orders/${order_id}/`),
    )
    assert.deepEqual(types(events), ['order.state_changed', 'adjustment.decided'])
    assert.deepEqual(data(events), [await order(), ...(await adjustments())])
  }
})

test('contract.limit_low is recorded once, when an order or an accepted adjustment raises a contract to nine tenths of its limit', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const contract_id = me.limited_contract_id // 1000, less 5%, plus 10%: 10.45 for each disc.
  const place = async (quantity: number): Promise<number> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity, contract_id })
    return shop.order(cart_id)
  }
  const contract = {
    contract_id,
    contract_name: 'Limited',
    contract_default: false,
    contract_service: true,
    contract_limit: 1000,
  }
  let first = 0
  const below = await eventsOf(me, async () => {
    first = await place(86) // 898.70
  })
  assert.deepEqual(types(below), ['order.created'])
  let second = 0
  const low = await eventsOf(me, async () => {
    second = await place(1) // 909.15
  })
  assert.deepEqual(
    low.map(({ event_number, event_type, order_id }) => [event_number, event_type, order_id]),
    [
      [3, 'order.created', second],
      [4, 'contract.limit_low', second],
    ],
  )
  assert.deepEqual(low[1]?.data, { ...contract, contract_used: 909.15 })
  let third = 0
  const lower = await eventsOf(me, async () => {
    third = await place(1)
  })
  assert.deepEqual(types(lower), ['order.created']) // It was low already.

  for (const order_id of [second, third])
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'Gone.' })
  const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${first}/items/`)
  const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${first}/items/${order_item_id}/`, { quantity: 87 })
  const raised = await eventsOf(me, () => operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`))
  assert.deepEqual(types(raised), ['order.items_changed', 'adjustment.decided', 'contract.limit_low'])
  assert.deepEqual(raised[2]?.data, { ...contract, contract_used: 909.15 })
  await service.checkInvariants()
})

test('events still show the state of their moment after everything has changed', async () => {
  const { me, shop, order, adjustments, move, adjust, decide, order_id } = await follow({ item_id: 1, quantity: 3 })
  const then = [await order()]
  const note = async (act: () => Promise<unknown>): Promise<void> => {
    await act()
    then.push(await order())
  }
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  await note(() => shop.ok('PATCH', `/api/v1/orders/${order_id}/`, { shipping_date: day }))
  await adjust(2)
  const [waiting] = await adjustments()
  await note(() => decide('accept'))
  const [accepted] = await adjustments()
  for (const state of ['processing', 'fulfilling', 'shipped', 'completed']) await note(() => move(state))
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/contracts/${me.contract_id}/`, {
    contract_name: 'Renamed',
    contract_limit: 1_000_000,
    contract_service: true,
  })
  await service.sql(`update stocks set stock_name = 'Potsdam' where stock_id = 1`)
  await service.sql(`update orders set order_update_datetime = now() - interval '100 days' where order_id = $1`, [
    order_id,
  ])
  await Array.fromAsync(archiveOrders(service.db, { after_days: 90, request_id: 'run' }))
  const now = await order()
  assert.deepEqual([now.order_stock.stock_name, now.order_contract.contract_name], ['Potsdam', 'Renamed'])

  const events = (await shop.ok('GET', '/api/v1/events/?after=1')) as LoggedEvent[]
  assert.deepEqual(
    events.filter(({ event_type }) => /^order\.(?!shipped)/.test(event_type)).map((event) => event.data),
    [...then, now],
  )
  assert.deepEqual(
    events.filter(({ event_type }) => event_type.startsWith('adjustment.')).map((event) => event.data),
    [waiting, accepted],
  )
  await service.sql(`update stocks set stock_name = 'Berlin' where stock_id = 1`)
  await service.checkInvariants()
})

test('events show the address, the terms, the remarks, and the lines with their quantities of that moment', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  for (const item_id of [1, 2]) await shop.add(cart_id, { item_id, quantity: 3 })
  const form = { ...exampleAddress, ...exampleRemarks }
  const cart_group_key = await shop.groupKey(cart_id)
  const { created_order_id: order_id } = await shop.ok('PUT', '/api/v1/orders/', { cart_group_key, ...form })
  const order = () => shop.ok('GET', `/api/v1/orders/${order_id}/?include=address,items,terms,shipments,reference`)
  const then = [await order()]
  const [disc, filter] = then[0].items.map((line: { order_item_id: number }) => line.order_item_id)
  const accept = async (order_item_id: number, quantity: number): Promise<void> => {
    const path = `/api/v1/orders/${order_id}/items/${order_item_id}/`
    const { adjustment_id } = await shop.ok('PATCH', path, { quantity })
    await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
    then.push(await order())
  }
  await accept(disc, 5)
  await accept(filter, 0)
  await accept(disc, 4)
  const quantities = (orders: { items: { order_item_id: number; order_item_quantity: number }[] }[]) =>
    orders.map(({ items }) => items.map((line) => [line.order_item_id, line.order_item_quantity]))
  const expected = [
    [
      [disc, 3],
      [filter, 3],
    ],
    [
      [disc, 5],
      [filter, 3],
    ],
    [[disc, 5]],
    [[disc, 4]],
  ]
  assert.deepEqual(quantities(then), expected)
  const events = (await shop.ok('GET', '/api/v1/events/?after=1')) as LoggedEvent[]
  const ofOrder = events.filter(({ event_type }) => event_type.startsWith('order.')).map((event) => event.data)
  assert.deepEqual(ofOrder, then)
  const { reference, comment, ...destination } = form
  const { address: shownAddress, terms, ...shown } = ofOrder[0] ?? {}
  assert.deepEqual(shownAddress, destination)
  assert.deepEqual([shown['reference'], shown['comment'], shown['shipments']], [reference, comment, []])
  assert.deepEqual(terms, { currency_code: 'EUR', tax_mode: 'included', tax_percent: 20, discount_percent: 0 })
})

test('an order event of a type that this release does not know carries the order: rolling deploys', async () => {
  const { me, move, order, order_id } = await follow({ item_id: 1, quantity: 1 })
  const recorded = await eventsOf(me, async () => {
    await move('processing')
    const renamed = `update events set event_type = 'order.of_a_later_release'
      where order_id = $1 and event_type = 'order.state_changed'`
    await service.sql(renamed, [order_id])
  })
  assert.deepEqual(types(recorded), ['order.of_a_later_release'])
  assert.deepEqual(data(recorded), [await order()])
})
