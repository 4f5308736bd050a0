/** Closing what will not be delivered of a partly shipped order. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OperatorOrder } from '../operator-order.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../../testing/operators.ts'
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

test('quantities, totals, stock and exposure fall to what is shipped, and the client can follow it', async () => {
  const world = await makeOperatorWorld(service, operators)
  const contract_id = world.me.limited_contract_id
  const figures = async (): Promise<unknown> => {
    const [row] = await service.sql(
      `select (select exposure::float8 from contracts where contract_id = $1) as exposure,
         (select array_agg(reserved::integer order by item_id) from stock_levels
          where stock_id = 1 and item_id in (1, 2)) as reserved`,
      [contract_id],
    )
    return [row?.['exposure'], row?.['reserved']]
  }
  const before = (await figures()) as [number, number[]]
  // 10 discs at 10.00 and 2 filters at 4.50.
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 10, contract_id },
    { item_id: 2, quantity: 2, contract_id },
  ])
  const path = `/operator/v1/orders/${order_id}`
  for (const state_id of ['processing', 'fulfilling']) await operators.ok('POST', `${path}/move/`, { state_id })
  await operators.ok('POST', `${path}/shipments/`, { lines: [{ order_item_id: lineOf(1), quantity: 4 }] })
  const closed: OperatorOrder = await operators.ok('POST', `${path}/close-open/`, { reason: 'Out of production.' })

  // 4 discs at 10.00, less 5%, plus 10% tax.
  assert.deepEqual(
    [closed.order_state_id, closed.order_total, closed.order_discount, closed.order_tax],
    ['shipped', 41.8, 2, 3.8],
  )
  assert.deepEqual(
    closed.items.map(({ order_item_id, order_item_quantity, order_item_shipped, order_item_open }) => [
      order_item_id,
      order_item_quantity,
      order_item_shipped,
      order_item_open,
    ]),
    [[lineOf(1), 4, 4, 0]],
  )
  assert.deepEqual(await figures(), [before[0] + 41.8, before[1]])
  assert.deepEqual(await operators.ok('GET', `${path}/`), { ...closed, adjustments: [] })
  const events = (await world.shop.ok('GET', '/api/v1/events/?limit=100')) as {
    event_type: string
    data: OperatorOrder
  }[]
  assert.deepEqual(
    events
      .slice(-3)
      .map(({ event_type, data }) => [
        event_type,
        data.order_state_id,
        data.order_total,
        data.items.map(({ order_item_quantity, order_item_open }) => [order_item_quantity, order_item_open]),
        data.order_history[0]?.text,
      ]),
    [
      ['order.shipped', 'fulfilling', events.at(-3)?.data.order_total, [[10, 6], [2, 2]], ''],
      ['order.items_changed', 'fulfilling', 41.8, [[4, 0]], 'Out of production.'],
      ['order.state_changed', 'shipped', 41.8, [[4, 0]], ''],
    ],
  ) // prettier-ignore
  const changes = await service.sql(
    `select order_item_id::integer as line, quantity_before, quantity_after
     from order_item_changes where order_id = $1 order by 1`,
    [order_id],
  )
  assert.deepEqual(changes, [
    { line: lineOf(1), quantity_before: 10, quantity_after: 4 },
    { line: lineOf(2), quantity_before: 2, quantity_after: 0 },
  ])
  await service.checkInvariants()
})
