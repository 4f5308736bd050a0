import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { adjustment, decisions } from '../../testing/orders.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

type Requested = Awaited<ReturnType<typeof adjustment>>

const withdraw = ({ me }: OperatorWorld, { order_id, adjustment_id }: Requested): Promise<Answer> =>
  service.request('DELETE', `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`, { key: me.key })

test('a withdrawn adjustment is cancelled and recorded once: withdrawing it again returns the same', async () => {
  const world = await makeOperatorWorld(service, operators)
  const requested = await adjustment(world)
  const first = await withdraw(world, requested)
  assert.equal(first.status, 200)
  const digest = await databaseDigest(service)
  assert.equal((await withdraw(world, requested)).text, first.text)
  assert.deepEqual(await databaseDigest(service), digest)
  const shown = await world.shop.ok(
    'GET',
    `/api/v1/orders/${requested.order_id}/adjustments/${requested.adjustment_id}/`,
  )
  assert.deepEqual(shown, first.body.data)
  const events = await service.sql('select event_type, actor from events where order_id = $1 order by event_number', [
    requested.order_id,
  ])
  const actor = `key ${world.me.key_id}`
  assert.deepEqual(events, [
    { event_type: 'order.created', actor },
    { event_type: 'adjustment.created', actor },
    { event_type: 'adjustment.decided', actor },
  ])
  await service.checkInvariants()
})

test('after a withdrawal the line can be adjusted again, and that request is withdrawn on its own', async () => {
  const world = await makeOperatorWorld(service, operators)
  const first = await adjustment(world)
  await withdraw(world, first)
  const { adjustment_id } = await world.shop.ok(
    'PATCH',
    `/api/v1/orders/${first.order_id}/items/${first.order_item_id}/`,
    { quantity: 2 },
  )
  assert.notEqual(adjustment_id, first.adjustment_id)
  await withdraw(world, first) // Already withdrawn: the new one stays open.
  const shown = await world.shop.ok('GET', `/api/v1/orders/${first.order_id}/adjustments/`)
  assert.deepEqual(
    shown.map(({ adjustment_status }: { adjustment_status: string }) => adjustment_status),
    ['WAIT', 'CANCELED'],
  )
})

for (const [way, { decide }] of Object.entries(decisions)) {
  test(`after ${way}, an adjustment cannot be withdrawn, and nothing changes`, async () => {
    const world = await makeOperatorWorld(service, operators)
    const requested = await adjustment(world)
    await decide(world, requested)
    const digest = await databaseDigest(service)
    const answer = await withdraw(world, requested)
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'adjustment_decided'])
    assert.deepEqual(await databaseDigest(service), digest)
  })
}
