import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { address, addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let worlds: OperatorWorld[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  worlds = await Promise.all(Array.from({ length: 4 }, () => makeOperatorWorld(service, operators)))
})
after(() => service.close())

/** The client and an operator order the same group at once, with these addresses. */
async function orderTwice(
  { me, shop }: OperatorWorld,
  addresses: { client: object; operator: object },
): Promise<{ client: Answer; operator: Answer; orders: number }> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  const cart_group_key = await shop.groupKey(cart_id)
  const [client, operator] = await atTheSameTime(
    () =>
      service.request('PUT', '/api/v1/orders/', {
        key: me.key,
        form: { cart_group_key, ...addresses.client },
      }),
    () =>
      service.request('POST', `/operator/v1/clients/${me.client_id}/orders/from-cart/`, {
        key: operators.keys.decider,
        json: { cart_group_key, ...addresses.operator },
      }),
  )
  const [row] = await service.sql('select count(*) from orders where client_id = $1 and cart_group_id = $2', [
    me.client_id,
    Number.parseInt(cart_group_key),
  ])
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  return { client, operator, orders: Number(row?.['count']) }
}

test('a group that its client and an operator order at once is ordered once, and both get the order', async () => {
  const outcomes = await countOutcomes(rounds(400), worlds, async (world) => {
    const { client, operator, orders } = await orderTwice(world, { client: address, operator: address })
    assert.equal(orders, 1)
    assert.deepEqual(client.body, operator.body)
    const order = await world.shop.ok('GET', `/api/v1/orders/${client.body.data.created_order_id}/`)
    return order.order_history[0].text === '' ? 'by the client' : 'by the operator'
  })
  assertAll(outcomes, 'by the client', 'by the operator')
  await service.checkInvariants()
})

test('with different addresses one of them orders, and the other learns which order it is', async () => {
  const outcomes = await countOutcomes(rounds(400), worlds, async (world) => {
    const addresses = { client: address, operator: { ...address, city: 'Potsdam' } }
    const { client, operator, orders } = await orderTwice(world, addresses)
    assert.equal(orders, 1)
    const [won, lost] = client.status === 200 ? [client, operator] : [operator, client]
    assert.equal(lost.body.errors[0]?.details?.['order_id'], won.body.data.created_order_id)
    return `client: ${shortOf(client)}, operator: ${shortOf(operator)}`
  })
  const already = 'cart_group_already_ordered'
  assertAll(outcomes, `client: done, operator: ${already}`, `client: ${already}, operator: done`)
  await service.checkInvariants()
})
