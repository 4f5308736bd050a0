/** Shipping whole orders and parts of them: states, stock, events, and what is no longer possible afterwards. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OperatorOrder } from '../operator-order.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { orderOfLines } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const newWorld = (): Promise<OperatorWorld> => makeOperatorWorld(service, operators)

const moveTo = async (order_id: number, ...states: string[]): Promise<void> => {
  for (const state_id of states) await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
}

/** An order of 3 discs and 2 filters that can be shipped. */
async function fulfilled(world: OperatorWorld) {
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 2 },
  ])
  await moveTo(order_id, 'processing', 'fulfilling')
  return { order_id, disc: lineOf(1), filter: lineOf(2) }
}

const ship = (order_id: number, body: object = {}) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, body)

const levels = async (): Promise<number[][]> =>
  (
    await service.sql(
      'select on_hand::integer, reserved::integer from stock_levels where stock_id = 1 and item_id in (1, 2) order by item_id',
    )
  ).map(({ on_hand, reserved }) => [Number(on_hand), Number(reserved)])

const eventsOf = ({ shop }: OperatorWorld) => shop.ok('GET', '/api/v1/events/?limit=100')

test('an order ships in parts: each takes its goods, and the last one makes the order shipped', async () => {
  const world = await newWorld()
  const { order_id, disc, filter } = await fulfilled(world)
  const [[discs = 0, discsReserved = 0] = [], [filters = 0, filtersReserved = 0] = []] = await levels()

  const first = await ship(order_id, { lines: [{ order_item_id: disc, quantity: 2 }], carrier: 'DHL' })
  assert.deepEqual(
    [first.order_state_id, first.order_total, first.order_history[0].group, first.order_history[0].text],
    ['fulfilling', first.order_total, 'Shipment', 'DHL'],
  )
  assert.deepEqual(await levels(), [
    [discs - 2, discsReserved - 2],
    [filters, filtersReserved],
  ])
  const second = await ship(order_id, { tracking: '0034' })
  assert.equal(second.order_state_id, 'shipped')
  assert.deepEqual(await levels(), [
    [discs - 3, discsReserved - 3],
    [filters - 2, filtersReserved - 2],
  ])
  const [one, other] = second.shipments
  assert.deepEqual(second.shipments, [
    { ...one, carrier: 'DHL', tracking: null, lines: [{ order_item_id: disc, quantity: 2 }] },
    {
      ...other,
      carrier: null,
      tracking: '0034',
      lines: [
        { order_item_id: disc, quantity: 1 },
        { order_item_id: filter, quantity: 2 },
      ],
    },
  ])
  assert.equal(second.order_shipping_datetime, other.shipment_datetime)
  assert.deepEqual(
    second.order_history.map(({ group, state_id, text }: Record<string, string>) => [group, state_id, text]),
    [
      ['Change of status', 'shipped', '0034'],
      ['Shipment', 'fulfilling', 'DHL'],
      ['Change of status', 'fulfilling', ''],
      ['Change of status', 'processing', ''],
      ['Change of status', 'new', ''],
    ],
  )
  assert.deepEqual(await operators.ok('GET', `/operator/v1/orders/${order_id}/`), { ...second, adjustments: [] })
  const seen = await world.shop.ok('GET', `/api/v1/orders/${order_id}/?include=items,shipments`)
  assert.deepEqual([seen.items, seen.shipments], [second.items, second.shipments])
  await service.checkInvariants()
})

test('each event shows the lines and the shipments as they were at that moment', async () => {
  const world = await newWorld()
  const { order_id, disc, filter } = await fulfilled(world)
  await ship(order_id, { lines: [{ order_item_id: disc, quantity: 2 }], carrier: 'DHL' })
  const { shipments } = await ship(order_id)
  await moveTo(order_id, 'completed')
  const shown = (await eventsOf(world))
    .filter((event: { order_id: number | null }) => event.order_id === order_id)
    .map(({ event_type, data }: { event_type: string; data: OperatorOrder & { shipment?: unknown } }) => [
      event_type,
      data.order_state_id,
      data.items.map((line) => [line.order_item_id, line.order_item_shipped, line.order_item_open]),
      data.shipments.length,
      data.shipment ?? null,
    ])
  const none = [[disc, 0, 3], [filter, 0, 2]] // prettier-ignore
  const all = [[disc, 3, 0], [filter, 2, 0]] // prettier-ignore
  assert.deepEqual(shown, [
    ['order.created', 'new', none, 0, null],
    ['order.state_changed', 'processing', none, 0, null],
    ['order.state_changed', 'fulfilling', none, 0, null],
    ['order.shipped', 'fulfilling', [[disc, 2, 1], [filter, 0, 2]], 1, shipments[0]],
    ['order.shipped', 'shipped', all, 2, shipments[1]],
    ['order.state_changed', 'shipped', all, 2, null],
    ['order.state_changed', 'completed', all, 2, null],
  ]) // prettier-ignore
})

test('moving an order to shipped records a shipment of everything that is open', async () => {
  const world = await newWorld()
  const { order_id, disc, filter } = await fulfilled(world)
  await ship(order_id, { lines: [{ order_item_id: disc, quantity: 1 }] })
  const moved = await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, {
    state_id: 'shipped',
    text: 'By our own van.',
  })
  assert.equal(moved.order_history[0].text, 'By our own van.')
  assert.deepEqual(moved.shipments[1].lines, [
    { order_item_id: disc, quantity: 2 },
    { order_item_id: filter, quantity: 2 },
  ])
  const bulk = await fulfilled(world)
  const path = '/operator/v1/orders/move/'
  const [result] = await operators.ok('POST', path, { order_ids: [bulk.order_id], state_id: 'shipped' })
  assert.deepEqual(result, { order_id: bulk.order_id, moved: true, order_state_id: 'shipped', errors: [] })
  const { shipments } = await operators.ok('GET', `/operator/v1/orders/${bulk.order_id}/`)
  assert.deepEqual(
    shipments.map(({ lines }: { lines: unknown }) => lines),
    [[{ order_item_id: bulk.disc, quantity: 3 }, { order_item_id: bulk.filter, quantity: 2 }]],
  ) // prettier-ignore
  await service.checkInvariants()
})

test('once a part is shipped, the client can no longer cancel, and its actions say so', async () => {
  const world = await newWorld()
  const { order_id, disc } = await fulfilled(world)
  const cancel = async () => (await world.shop.ok('GET', `/api/v1/orders/${order_id}/?include=actions`)).actions.cancel
  assert.deepEqual(await cancel(), { allowed: true, until_state_id: 'shipped' })
  await ship(order_id, { lines: [{ order_item_id: disc, quantity: 1 }] })
  assert.deepEqual(await cancel(), { allowed: false, until_state_id: null })
  const refused = await service.request('DELETE', `/api/v1/orders/${order_id}/`, { key: world.me.key })
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [409, 'order_partly_shipped'])
})

test('lines are distinct, each with its id and a quantity from 1, and every bad line is reported', async () => {
  const { order_id, disc, filter } = await fulfilled(await newWorld())
  const path = `/operator/v1/orders/${order_id}/shipments/`
  const refused = async (lines: unknown) => {
    const { status, body } = await service.request('POST', path, { key: operators.keys.decider, json: { lines } })
    return [status, ...(body.errors ?? []).map(({ code, field }) => (field === undefined ? code : `${code} ${field}`))]
  }
  const line = { order_item_id: disc, quantity: 1 }
  for (const bad of [
    [],
    {},
    [line, line],
    [{ ...line, quantity: 0 }],
    [{ ...line, quantity: -1 }],
    [{ ...line, quantity: 1.5 }],
    [{ ...line, quantity: '1' }],
    [{ ...line, quantity: 1_000_001 }],
    [{ ...line, order_item_id: 2 ** 53 }],
    [{ ...line, colour: 'red' }],
    [{ quantity: 1 }],
    [null],
    [[disc, 1]],
    Array.from({ length: 1_001 }, (_, n) => ({ order_item_id: n + 1, quantity: 1 })),
  ])
    assert.deepEqual(await refused(bad), [400, 'field_invalid lines'], JSON.stringify(bad).slice(0, 60))
  assert.deepEqual(await refused([{ ...line, quantity: 4 }, { order_item_id: filter, quantity: 3 }]), [
    409,
    'quantity_not_open',
    'quantity_not_open',
  ]) // prettier-ignore
})
