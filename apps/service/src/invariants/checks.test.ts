/** The checks that are triggers and functions (0002_clients.sql says why) refuse a row as any other check does. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
})
after(() => service.close())

const refused: Record<string, string> = {
  orders_state: `update orders set order_state_id = 'lost'`,
  orders_state_before_request: `update orders set order_state_id = 'zayavka-na-otmen'`,
  orders_archived_when_done: 'update orders set order_archive_datetime = now()',
  orders_shipped_states: 'update orders set order_shipped_datetime = now()',
  orders_unique_reference: `update orders set unique_reference = 'PO-1'`,
  orders_tax_mode: `update orders set tax_mode = 'doubled'`,
  contracts_limit: 'update contracts set contract_limit = -1, overdrawn = 100',
  contracts_overdrawn: 'update contracts set overdrawn = -1',
  contracts_discount_percent: 'update contracts set discount_percent = 101',
  contracts_tax_percent: 'update contracts set tax_percent = -1',
  contracts_tax_mode: `update contracts set tax_mode = 'doubled'`,
  cart_limit_reached: 'update clients set cart_count = 1001',
  webhook_limit_reached: 'update clients set webhook_count = 21',
  contract_limit_exceeded: 'update contracts set contract_limit = 1, exposure = 2, overdrawn = 0',
  out_of_stock: 'update stock_levels set on_hand = -1 where back_order',
  cart_is_full: 'update carts set line_count = 1001',
  order_items_shipped: 'update order_items set shipped_quantity = -1',
}

for (const [constraint, sql] of Object.entries(refused)) {
  test(`${constraint} refuses: ${sql}`, async () => {
    await assert.rejects(service.sql(sql), { code: '23514', constraint })
  })
}

for (const level of ['reserved = -1', 'shortage = -1', 'reserved = on_hand + 1, shortage = 0']) {
  test(`out_of_stock refuses a level with ${level}`, async () => {
    const sql = `update stock_levels set ${level} where not back_order`
    await assert.rejects(service.sql(sql), { code: '23514', constraint: 'out_of_stock' })
  })
}

test('an order cannot have a negative quantity', async () => {
  await assert.rejects(service.sql('update order_items set order_item_quantity = -1'), {
    constraint: 'order_items_shipped',
  })
})

test('a new order, contract or client is checked too', async () => {
  const copy = (table: string, changes: string): string => `
    insert into ${table} select (jsonb_populate_record(x, '${changes}')).* from ${table} x limit 1`
  await assert.rejects(service.sql(copy('orders', '{"order_id": 9999999, "order_number": 9999999, "cart_group_id": 9999999, "tax_mode": "doubled"}')), { constraint: 'orders_tax_mode' }) // prettier-ignore
  await assert.rejects(service.sql(copy('contracts', '{"contract_id": 9999999, "contract_default": false, "tax_percent": 101}')), { constraint: 'contracts_tax_percent' }) // prettier-ignore
  await assert.rejects(service.sql(copy('clients', '{"client_id": 9999999, "cart_count": 1001}')), {
    constraint: 'cart_limit_reached',
  })
})
