import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { copyOrder } from '../../testing/copy-order.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const counts = () => operators.ok('GET', '/operator/v1/counts/')

test('counts stop at 1,000 and then say that there are more; held orders and short levels are counted', async () => {
  const none = { count: 0, more: false }
  const start = await counts()
  assert.deepEqual([start.orders[0], start.held, start.short], [{ state_id: 'new', ...none }, none, none])

  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id: 1 })
  const order_id = await shop.order(cart_id)
  await copyOrder(service, order_id, 999)
  const thousand = { state_id: 'new', count: 1_000, more: false }
  assert.deepEqual((await counts()).orders[0], thousand)
  assert.deepEqual((await counts()).stocks[0].orders[0], thousand)

  await shop.add(cart_id, { item_id: 4, quantity: 2 }) // None is on hand: a back-order.
  const held = await shop.order(cart_id)
  await service.sql(`update orders set hold_reason = 'Unpaid.' where order_id = $1`, [held])
  const found = await counts()
  assert.deepEqual(found.orders[0], { ...thousand, more: true })
  assert.deepEqual(found.stocks[0].orders[0], { ...thousand, more: true })
  assert.deepEqual(found.stocks[1].orders[0], { state_id: 'new', ...none })
  assert.deepEqual(
    [found.held, found.short],
    [
      { count: 1, more: false },
      { count: 1, more: false },
    ],
  )
})
