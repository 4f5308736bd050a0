/** How operators name, read and move one order. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

test('an order is named by its number wherever a path takes its id, and in bulk moves', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id } = await order(world)
  const { order_number } = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  const path = `/operator/v1/orders/number-${order_number}/`
  assert.equal((await operators.ok('GET', path)).order_id, order_id)
  assert.equal((await operators.ok('POST', `${path}move/`, { state_id: 'processing' })).order_state_id, 'processing')
  const move = { order_numbers: [order_number, 99_000_001], state_id: 'fulfilling' }
  const results = await operators.ok('POST', '/operator/v1/orders/move/', move)
  assert.deepEqual(results, [
    { order_id, order_number, moved: true, order_state_id: 'fulfilling', errors: [] },
    {
      order_id: null,
      order_number: 99_000_001,
      moved: false,
      order_state_id: null,
      errors: [
        {
          code: 'order_not_found',
          message: 'No order has the number 99000001.',
          details: { order_number: 99_000_001 },
        },
      ],
    },
  ])
  const refused = async (named: string) => {
    const { status, body } = await service.request('GET', `/operator/v1/orders/${named}/`, {
      key: operators.keys.admin,
    })
    return [status, body.errors[0]?.code, body.errors[0]?.field ?? body.errors[0]?.details]
  }
  assert.deepEqual(await refused('number-99000001'), [404, 'order_not_found', { order_number: 99_000_001 }])
  assert.deepEqual(await refused('number-0'), [404, 'order_not_found', { order_number: 0 }])
  for (const bad of ['number-', 'number-x', 'number-1e3', 'Number-1', 'x1'])
    assert.deepEqual(await refused(bad), [400, 'field_invalid', 'order_id'], bad)
})

test('asking for the state that an order has already changes nothing, alone and in bulk', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id } = await order(world)
  const path = `/operator/v1/orders/${order_id}/move/`
  for (const state_id of ['processing', 'fulfilling', 'shipped', 'completed']) {
    const moved = await operators.ok('POST', path, { state_id })
    const stored = await databaseDigest(service)
    assert.deepEqual(await operators.ok('POST', path, { state_id }), moved)
    assert.deepEqual(await operators.ok('POST', '/operator/v1/orders/move/', { order_ids: [order_id], state_id }), [
      { order_id, moved: true, order_state_id: state_id, errors: [] },
    ])
    assert.deepEqual(await databaseDigest(service), stored)
  }
})

test('an order shows its adjustments: what was requested, and who decided', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, order_item_id } = await order(world)
  const line = `/api/v1/orders/${order_id}/items/${order_item_id}/`
  const { adjustment_id } = await world.shop.ok('PATCH', line, { quantity: 2, reason: 'Ordered twice.' })
  const rejected = await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, {
    message: 'Packed.',
  })
  await world.shop.ok('PATCH', line, { quantity: 4 })
  const { adjustments } = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  assert.deepEqual(adjustments[0], rejected)
  assert.deepEqual(
    [rejected.request.requested_quantity, rejected.request.reason, rejected.request.decided_by],
    [2, 'Ordered twice.', rejected.request.decided_by],
  )
  assert.deepEqual(
    [adjustments.length, adjustments[1].adjustment_status, adjustments[1].request.decided_by],
    [2, 'WAIT', null],
  )
})
