/** A held order stays where it is until it is released, or its cancellation is accepted. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { makeOperatorWorld, makeOperators, type OperatorWorld } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeOperatorWorld(service, await makeOperators(service))
})
after(() => service.close())

const act = (order_id: number, action: string, json?: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/${action}/`, { key: world.operators.keys.decider, json })

const hold = (order_id: number, reason = 'Payment is overdue.'): Promise<Answer> => act(order_id, 'hold', { reason })

async function held(): Promise<number> {
  const { order_id } = await order(world)
  assert.equal((await hold(order_id)).status, 200)
  return order_id
}

const stored = async (order_id: number): Promise<unknown> =>
  (await service.sql('select order_state_id, hold_reason from orders where order_id = $1', [order_id]))[0]

const eventsOf = (order_id: number): Promise<unknown[]> =>
  service.sql(
    `select event_type, actor ~ '^operator 2 key \\d+$' as by_the_decider
     from events where order_id = $1 order by event_number`,
    [order_id],
  )

test('nobody moves a held order, not even to cancel it, one by one or in bulk, until it is released', async () => {
  const order_id = await held()
  const before = await databaseDigest(service)
  assert.equal(shortOf(await act(order_id, 'move', { state_id: 'processing' })), 'order_held')
  assert.equal(shortOf(await act(order_id, 'move', { state_id: 'canceled', text: 'Sold out.' })), 'order_held')
  const [result] = await world.operators.ok('POST', '/operator/v1/orders/move/', {
    order_ids: [order_id],
    state_id: 'processing',
  })
  assert.deepEqual(result, {
    order_id,
    moved: false,
    order_state_id: null,
    errors: [
      {
        code: 'order_held',
        message: `Order ${order_id} is on hold: Payment is overdue.`,
        details: { order_id, hold_reason: 'Payment is overdue.' },
      },
    ],
  })
  assert.deepEqual(await databaseDigest(service), before)

  assert.equal((await act(order_id, 'release')).body.data.hold_reason, null)
  assert.equal((await act(order_id, 'move', { state_id: 'processing' })).status, 200)
  assert.deepEqual(await stored(order_id), { order_state_id: 'processing', hold_reason: null })
  assert.deepEqual(await eventsOf(order_id), [
    { event_type: 'order.created', by_the_decider: false },
    { event_type: 'order.held', by_the_decider: true },
    { event_type: 'order.released', by_the_decider: true },
    { event_type: 'order.state_changed', by_the_decider: true },
  ])
  await service.checkInvariants()
})

test('the client reads the hold in the history and in its events', async () => {
  const order_id = await held()
  const { order_history } = await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)
  const shown = (entry: { group: string; state_id: string; text: string }): string[] => [
    entry.group,
    entry.state_id,
    entry.text,
  ]
  assert.deepEqual(order_history.map(shown), [
    ['Hold', 'new', 'Payment is overdue.'],
    ['Change of status', 'new', ''],
  ])
  const events = (await world.shop.ok('GET', '/api/v1/events/?limit=500')) as {
    event_type: string
    data: { order_id: number; order_history: unknown }
  }[]
  const event = events.find(({ event_type, data }) => event_type === 'order.held' && data.order_id === order_id)
  assert.deepEqual(event?.data.order_history, order_history)
})

test('the same hold, and the release of an order that is not held, change nothing; another reason replaces it', async () => {
  const order_id = await held()
  const first = await act(order_id, 'hold', { reason: 'Payment is overdue.' })
  const before = await databaseDigest(service)
  assert.equal((await hold(order_id)).text, first.text)
  assert.deepEqual(await databaseDigest(service), before)
  assert.equal((await hold(order_id, 'The address is wrong.')).body.data.order_history.length, 3)
  assert.deepEqual(await stored(order_id), { order_state_id: 'new', hold_reason: 'The address is wrong.' })

  const released = await act(order_id, 'release')
  const after = await databaseDigest(service)
  assert.equal((await act(order_id, 'release')).text, released.text)
  assert.deepEqual(await databaseDigest(service), after)
})

test('accepting the cancellation of a held order ends the hold, rejecting it leaves the hold', async () => {
  const [accepted, rejected] = [await held(), await held()]
  for (const order_id of [accepted, rejected]) await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  assert.equal((await act(accepted, 'cancellation/accept')).body.data.hold_reason, null)
  assert.equal((await act(rejected, 'cancellation/reject', { message: 'No.' })).status, 200)
  assert.deepEqual(await stored(accepted), { order_state_id: 'canceled', hold_reason: null })
  assert.deepEqual(await stored(rejected), { order_state_id: 'new', hold_reason: 'Payment is overdue.' })
  assert.equal(shortOf(await act(rejected, 'move', { state_id: 'processing' })), 'order_held')
  await service.checkInvariants()
})

test('removing the last line of a held order cancels it and ends the hold', async () => {
  const { order_id, order_item_id } = await order(world)
  const made = await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 0 })
  assert.equal((await hold(order_id)).status, 200)
  await world.operators.ok('POST', `/operator/v1/adjustments/${made.adjustment_id}/accept/`)
  assert.deepEqual(await stored(order_id), { order_state_id: 'canceled', hold_reason: null })
  await service.checkInvariants()
})

test('a change of a line does not end a held order, by cancelling it or by leaving nothing to ship', async () => {
  const { order_id, order_item_id } = await order(world)
  const change = (quantity: number, dry_run = false): Promise<Answer> =>
    service.request('PATCH', `/operator/v1/orders/${order_id}/items/${order_item_id}/`, {
      key: world.operators.keys.decider,
      json: { quantity, reason: 'Sold out.', dry_run },
    })
  assert.equal((await hold(order_id)).status, 200)
  const before = await databaseDigest(service)
  assert.equal(shortOf(await change(0)), 'order_held')
  assert.equal(shortOf(await change(0, true)), 'order_held')
  assert.deepEqual(await databaseDigest(service), before)
  assert.equal((await change(2)).status, 200)
  assert.deepEqual(await stored(order_id), { order_state_id: 'new', hold_reason: 'Payment is overdue.' })

  assert.equal((await act(order_id, 'release')).status, 200)
  for (const state_id of ['processing', 'fulfilling'])
    assert.equal((await act(order_id, 'move', { state_id })).status, 200)
  assert.equal((await act(order_id, 'shipments', { lines: [{ order_item_id, quantity: 1 }] })).status, 200)
  assert.equal((await hold(order_id)).status, 200)
  assert.equal(shortOf(await change(1)), 'order_held')
  assert.deepEqual(await stored(order_id), { order_state_id: 'fulfilling', hold_reason: 'Payment is overdue.' })
  assert.equal((await act(order_id, 'release')).status, 200)
  assert.equal((await change(1)).body.data.state_after, 'shipped')
  await service.checkInvariants()
})
