/** Every call of the client against the real service, over HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, type PartsClient } from '@parts-ordering/client'
import { addClient, addFixtures, address, type TestClient } from '../../service/src/testing/fixtures.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'

let service: TestService
let me: TestClient
let client: PartsClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  client = createClient({ url: `http://127.0.0.1:${service.port}/`, key: me.key })
})
after(() => service.close())

test('a program places an order', async () => {
  const { cart_id } = await client.createCart({ name: 'Spring' })
  const line = await client.addCartItem({ cart_id, item_id: 1, stock_id: 1, quantity: 2 })
  assert.equal(line.quantity, 2)
  const [group] = await client.listCartItems({ cart_id, include: 'totals' })
  assert(group)
  const placed = await client.orders.placeAsShown(group, address, { reference: 'A-1' })
  assert(placed.placed)
  const order = await client.readOrder({ order_id: placed.created_order_id, include: ['reference', 'items'] })
  assert.deepEqual([order.order_total, order.reference, order.items?.length], [20, 'A-1', 1])
})
