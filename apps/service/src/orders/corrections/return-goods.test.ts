/** Shipped goods come back: facts, and the stock. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { orderOfLines } from '../../testing/orders.ts'
import { atTheSameTime, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

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

const send = (order_id: number, lines: object[], restock: boolean): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/returns/`, {
    key: operators.keys.decider,
    json: { lines, reason: 'Does not fit.', restock },
  })

/** An order of three discs and four filters, shipped and completed. */
async function completed(): Promise<{ order_id: number; disc: number; filter: number }> {
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  for (const state_id of ['processing', 'fulfilling', 'shipped', 'completed'])
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
  return { order_id, disc: lineOf(1), filter: lineOf(2) }
}

async function facts(order_id: number): Promise<unknown> {
  const [row] = await service.sql(
    `select order_state_id, order_total::float8, c.exposure::float8,
       (select json_agg(array[on_hand, reserved] order by item_id) from stock_levels where stock_id = 1
          and item_id in (1, 2)) as levels
     from orders o join contracts c using (client_id, contract_id) where order_id = $1`,
    [order_id],
  )
  return row
}

test('goods come back in parts, restocked or not; the order itself stays as it is', async () => {
  const { shop } = world
  const { order_id, disc, filter } = await completed()
  const { levels, ...before_ } = (await facts(order_id)) as { levels: number[][] }
  const first = await send(order_id, [{ order_item_id: filter, quantity: 3 }, { order_item_id: disc, quantity: 1 }], true) // prettier-ignore
  assert.equal(first.status, 200)
  const second = await send(order_id, [{ order_item_id: disc, quantity: 2 }], false)
  assert.deepEqual(
    second.body.data.returns.map(({ reason, restocked, lines }: Record<string, unknown>) => [reason, restocked, lines]),
    [
      ['Does not fit.', true, [{ order_item_id: disc, quantity: 1 }, { order_item_id: filter, quantity: 3 }]],
      ['Does not fit.', false, [{ order_item_id: disc, quantity: 2 }]],
    ],
  ) // prettier-ignore
  assert.deepEqual((await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).returns, second.body.data.returns)
  const [[discs = 0, kept] = [], [filters = 0, held] = []] = levels
  assert.deepEqual(await facts(order_id), { ...before_, levels: [[discs + 1, kept], [filters + 3, held]] }) // prettier-ignore
  const { event_type, data } = (await shop.ok('GET', '/api/v1/events/')).at(-1)
  assert.deepEqual(data.return, second.body.data.returns[1])
  const path = `/api/v1/orders/${order_id}/?include=returns`
  assert.deepEqual((await shop.ok('GET', path)).returns, second.body.data.returns)
  assert.deepEqual((await shop.ok('GET', '/api/v1/orders/?include=returns'))[0].returns, second.body.data.returns)
  const [entry] = data.order_history
  assert.deepEqual(
    [event_type, entry.group, entry.state_id, entry.text],
    ['order.returned', 'Return', 'completed', 'Does not fit.'],
  )
  const refused = await send(order_id, [{ order_item_id: disc, quantity: 1 }, { order_item_id: filter, quantity: 2 }], true) // prettier-ignore
  assert.deepEqual(
    refused.body.errors.map(({ code, details }) => [code, details]),
    [
      ['quantity_not_returnable', { order_item_id: disc, returnable: 0, requested: 1 }],
      ['quantity_not_returnable', { order_item_id: filter, returnable: 1, requested: 2 }],
    ],
  )
  await service.checkInvariants()
})

test('of two operators that record the same return, one does', async () => {
  for (let round = 0; round < 20; round++) {
    const { order_id, disc } = await completed()
    const back = (): Promise<Answer> => send(order_id, [{ order_item_id: disc, quantity: 2 }], true)
    const answers = await atTheSameTime(back, back)
    assert.deepEqual(answers.map(shortOf).toSorted(), ['done', 'quantity_not_returnable'])
  }
  await service.checkInvariants()
})
