/** Holds race moves, and blocks race orders: each ends as if one came after the other. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperatorWorld, makeOperators, type OperatorWorld } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let worlds: OperatorWorld[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  const operators = await makeOperators(service)
  worlds = await Promise.all(Array.from({ length: 4 }, () => makeOperatorWorld(service, operators)))
})
after(() => service.close())

const act = ({ operators }: OperatorWorld, path: string, json?: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/${path}`, { key: operators.keys.admin, json })

const reason = 'Payment is overdue.'

test('a hold races a move: the order is held where it was, or where it was moved to', async () => {
  const outcomes = await countOutcomes(rounds(1000), worlds, async (world) => {
    const { order_id } = await order(world)
    const [held, moved] = await atTheSameTime(
      () => act(world, `orders/${order_id}/hold/`, { reason }),
      () => act(world, `orders/${order_id}/move/`, { state_id: 'processing' }),
    )
    const [row] = await service.sql('select order_state_id, hold_reason from orders where order_id = $1', [order_id])
    assert.equal(row?.['hold_reason'], reason)
    assert.equal(held.body.data.order_state_id, row?.['order_state_id'])
    await emptyCarts(world)
    return `${shortOf(held)}, ${shortOf(moved)}: ${String(row?.['order_state_id'])}`
  })
  assertAll(outcomes, 'done, done: processing', 'done, order_held: new')
  await service.checkInvariants()
})

for (const what of ['client', 'contract'] as const) {
  test(`a block of the ${what} races an order: it is placed before, or refused`, async () => {
    const outcomes = await countOutcomes(rounds(1000), worlds, async (world) => {
      const { shop, me } = world
      const path = what === 'client' ? `clients/${me.client_id}` : `clients/${me.client_id}/contracts/${me.contract_id}`
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 2, quantity: 1 })
      const cart_group_key = await shop.groupKey(cart_id)
      const place = (): Promise<Answer> =>
        service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })
      const [blocked, placed] = await atTheSameTime(() => act(world, `${path}/block/`, { reason }), place)
      const again = await place() // After the block: the order that was placed, or none.
      assert.deepEqual([again.status, again.body.data], [placed.status, placed.body.data])
      await act(world, `${path}/unblock/`)
      await emptyCarts(world)
      return `${shortOf(blocked)}, ${shortOf(placed)}`
    })
    assertAll(outcomes, 'done, done', `done, ${what}_blocked`)
    await service.checkInvariants()
  })
}

async function emptyCarts({ shop }: OperatorWorld): Promise<void> {
  for (const { cart_id } of await shop.ok('GET', '/api/v1/carts/')) await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
}
