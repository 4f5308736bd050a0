/** A wrong move or cancellation is taken back: the order is as before, and so are stock and limit. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { order, orderOfLines, shipPart, virtualOrder } from '../../testing/orders.ts'
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

const send = (order_id: number, action: string, json: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/${action}/`, { key: operators.keys.decider, json })

const move = (order_id: number, state_id: string): Promise<Answer> =>
  send(order_id, 'move', { state_id, text: 'Moved.' })

const undo = (order_id: number): Promise<Answer> => send(order_id, 'undo-cancellation', { reason: 'A mistake.' })

async function facts(order_id: number): Promise<unknown> {
  const [row] = await service.sql(
    `select order_state_id, order_total::float8, c.exposure::float8,
       (select sum(reserved)::float8 from stock_levels) as reserved
     from orders o join contracts c using (client_id, contract_id) where order_id = $1`,
    [order_id],
  )
  return row
}

const why = ({ status, body }: Answer): unknown => [status, body.errors[0]?.code, body.errors[0]?.details?.['why']]

test('an order moves back step by step, with an event for each, and can be adjusted and shipped again', async () => {
  const { shop } = world
  const { order_id, order_item_id } = await order(world)
  const before_ = await facts(order_id)
  for (const state of ['processing', 'fulfilling', 'processing', 'new']) {
    const { status, body } = await move(order_id, state)
    assert.deepEqual([status, body.data.order_state_id], [200, state])
  }
  assert.deepEqual(await facts(order_id), before_)
  const events = await shop.ok('GET', '/api/v1/events/')
  assert.deepEqual(
    events
      .slice(-4)
      .map(({ event_type, data }: { event_type: string; data: { order_state_id: string } }) => [
        event_type,
        data.order_state_id,
      ]),
    ['processing', 'fulfilling', 'processing', 'new'].map((state) => ['order.state_changed', state]),
  )
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 1 })
  await service.checkInvariants()
})

test('many orders move back at once; a partly shipped one stays, and says why', async () => {
  const [first, second] = [await order(world), await order(world)]
  for (const { order_id } of [first, second])
    for (const state of ['processing', 'fulfilling']) await move(order_id, state)
  await shipPart(world, second.order_id, 2)
  const results = await operators.ok('POST', '/operator/v1/orders/move/', {
    order_ids: [first.order_id, second.order_id],
    state_id: 'processing',
  })
  assert.deepEqual(
    results.map(({ moved, errors }: { moved: boolean; errors: { code: string }[] }) => [moved, errors[0]?.code]),
    [
      [true, undefined],
      [false, 'order_partly_shipped'],
    ],
  )
  await service.checkInvariants()
})

test('a shipped order does not move back', async () => {
  const { order_id } = await order(world)
  for (const state of ['processing', 'fulfilling', 'shipped']) await move(order_id, state)
  const { status, body } = await move(order_id, 'fulfilling')
  assert.deepEqual([status, body.errors[0]?.code], [409, 'order_move_refused'])
})

test('undoing a cancellation restores state, stock and exposure, with the reason in history and event', async () => {
  const { shop } = world
  const contract_id = world.me.limited_contract_id
  const { order_id } = await orderOfLines(world, [
    { item_id: 1, quantity: 10, contract_id },
    { item_id: 2, quantity: 4, contract_id },
  ])
  for (const state of ['processing', 'fulfilling']) await move(order_id, state)
  const before_ = await facts(order_id)
  await move(order_id, 'canceled')
  await operators.ok('POST', `/operator/v1/orders/${order_id}/notes/`, { text: 'Really?', internal: false })
  const { status, body } = await undo(order_id)
  assert.deepEqual([status, body.data.order_state_id], [200, 'fulfilling'])
  assert.deepEqual(await facts(order_id), before_)
  const { event_type, data } = (await shop.ok('GET', '/api/v1/events/')).at(-1)
  const [entry] = data.order_history
  assert.deepEqual(
    [event_type, entry.group, entry.state_id, entry.text],
    ['order.state_changed', 'Change of status', 'fulfilling', 'A mistake.'],
  )
  await service.checkInvariants()
})

test('an accepted request is undone to the state before the request; the order can be cancelled and undone again', async () => {
  const { shop } = world
  const { order_id } = await order(world)
  await move(order_id, 'processing')
  for (let round = 0; round < 2; round++) {
    await shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
    await operators.ok('POST', `/operator/v1/orders/${order_id}/cancellation/accept/`)
    assert.equal((await undo(order_id)).body.data.order_state_id, 'processing')
  }
  await service.checkInvariants()
})

test('a virtual order gets no goods by undoing its cancellation', async () => {
  const order_id = await virtualOrder(world, { item_id: 1, quantity: 500_000 })
  await move(order_id, 'canceled')
  assert.equal((await undo(order_id)).body.data.virtual, true)
  await service.checkInvariants()
})

test('after 24 hours, once archived, or without lines a cancellation stays', async () => {
  const cancelled = async (): Promise<number> => {
    const { order_id } = await order(world)
    await move(order_id, 'canceled')
    return order_id
  }
  const [late, early, archived] = [await cancelled(), await cancelled(), await cancelled()]
  const age = (order_id: number, hours: string) =>
    service.sql(`update order_history set date = now() - $2::interval where order_id = $1 and state_id = 'canceled'`, [
      order_id,
      hours,
    ])
  await age(late, '24 hours 1 second')
  await age(early, '23 hours 50 minutes')
  await service.sql('update orders set order_archive_datetime = now() where order_id = $1', [archived])
  const empty = await order(world)
  const line = `/operator/v1/orders/${empty.order_id}/items/${empty.order_item_id}/`
  await operators.ok('PATCH', line, { quantity: 0, reason: 'Gone.' })
  const refused = (reason: string) => [409, 'cancellation_not_undoable', reason]
  assert.deepEqual(why(await undo(late)), refused('too_late'))
  assert.deepEqual(why(await undo(archived)), refused('archived'))
  assert.deepEqual(why(await undo(empty.order_id)), refused('no_lines'))
  assert.equal((await undo(early)).status, 200)
  await service.checkInvariants()
})
