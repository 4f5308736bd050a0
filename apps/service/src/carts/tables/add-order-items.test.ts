import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { OrderedRow } from './add-order-items.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addFixtures } from '../../testing/fixtures.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService
let world: World
let cart_id: number

before(async () => {
  service = await startService()
  await addFixtures(service)
})
beforeEach(async () => {
  world = await makeWorld(service)
  cart_id = await world.shop.createCart()
})
after(() => service.close())

/** An order of items 1 (3 pieces), 2 (4 pieces) and 3 (1 piece) for the budget Spring. */
async function placeOrder(): Promise<number> {
  const { shop } = world
  const ordered = await shop.createCart()
  for (const [item_id, quantity] of [
    [2, 4],
    [1, 3],
    [3, 1],
  ] as const) {
    const line = { item_id, quantity, stock_id: 1, for_advertising_budget: 'Spring' }
    await shop.ok('PUT', `/api/v1/carts/${ordered}/items/`, line)
  }
  return shop.order(ordered)
}

const again = (order_id: number, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/from-order/`, {
    key: world.me.key,
    form: { order_id },
    headers,
  })

const summaryOf = ({ body }: Answer): unknown[] =>
  (body.data.rows as OrderedRow[]).map(({ row, item, outcome, quantity, price, ordered_price, changes }) => [
    row,
    item?.item_id,
    outcome,
    quantity,
    price,
    ordered_price,
    changes,
  ])

test('the lines of an order are added with its stock, contract and budget, and can be ordered again', async () => {
  const order_id = await placeOrder()
  const answer = await again(order_id)
  assert.deepEqual(summaryOf(answer), [
    [1, 1, 'added', 3, 10, 10, []],
    [2, 2, 'added', 4, 2.5, 2.5, []],
    [3, 3, 'added', 1, 0.3333, 0.3333, []],
  ])
  assert.deepEqual([answer.body.data.rows_added, answer.body.data.rows_refused], [3, 0])
  const [group] = await world.shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual(
    [group.advertising, group.stock.stock_id, group.contract.contract_id, group.cart_items.length],
    ['Spring', 1, world.me.contract_id, 3],
  )
  const { created_order_id } = await world.shop.ok('PUT', '/api/v1/orders/', {
    cart_group_key: group.cart_group_key,
    ...address,
  })
  const totalOf = async (id: number): Promise<number> =>
    (await world.shop.ok('GET', `/api/v1/orders/${id}/`)).order_total as number
  assert.equal(await totalOf(created_order_id as number), await totalOf(order_id))
  await service.checkInvariants()
})

test('each line says what has changed: the price, that it is gone, and that it is short', async () => {
  const order_id = await placeOrder()
  await service.sql(`
    update prices set price = 2.75 where item_id = 2 and price_list_id = 1;
    update items set on_sale = false where item_id = 1;
    update stock_levels set on_hand = reserved where stock_id = 1 and item_id = 3`)
  const answer = await again(order_id)
  assert.deepEqual(summaryOf(answer), [
    [1, 1, 'refused', 3, 10, 10, ['gone']],
    [2, 2, 'added', 4, 2.75, 2.5, ['price']],
    [3, 3, 'added', 1, 0.3333, 0.3333, ['short']],
  ])
  const [gone, , short] = answer.body.data.rows as OrderedRow[]
  assert.deepEqual(gone?.errors, [
    {
      code: 'item_not_on_sale',
      message: 'Item 1 is currently not on sale.',
      field: 'item_id',
      details: { item_id: 1 },
    },
  ])
  assert.deepEqual([short?.available, short?.short, short?.cart_quantity], [0, true, 1])
  await service.sql(`
    update prices set price = 2.5 where item_id = 2 and price_list_id = 1;
    update items set on_sale = true where item_id = 1;
    update stock_levels set on_hand = reserved + 5 where stock_id = 1 and item_id = 3;
    delete from prices where item_id = 2 and price_list_id = 1;
    delete from client_stocks where client_id = ${world.me.client_id}`)
  assert.deepEqual(
    ((await again(order_id)).body.data.rows as OrderedRow[]).map(({ errors, available, changes }) => [
      errors?.[0]?.code,
      available,
      changes,
    ]),
    [1, 2, 3].map(() => ['stock_not_serving', undefined, ['gone']]),
  )
  await service.sql(`insert into client_stocks values (${world.me.client_id}, 1)`)
  const [, unpriced] = (await again(order_id)).body.data.rows as OrderedRow[]
  assert.deepEqual([unpriced?.errors?.[0]?.code, unpriced?.price], ['item_not_priced', undefined])
  await service.sql('insert into prices values (1, 2, 2.5)')
  await service.checkInvariants()
})

test('a line that was adjusted to 0 is not added, and an order without pieces adds nothing', async () => {
  const order_id = await placeOrder()
  const pieces = (where: string): Promise<unknown> =>
    service.sql(`update order_items set order_item_quantity = 0 where order_id = $1 and ${where}`, [order_id])
  await pieces('item_id = 1')
  assert.deepEqual(
    summaryOf(await again(order_id)).map((row) => (row as unknown[])[1]),
    [2, 3],
  )
  await pieces('true')
  const stored = await databaseDigest(service)
  const { status, body } = await again(order_id)
  assert.deepEqual([status, body.data], [200, { rows_added: 0, rows_refused: 0, rows: [] }])
  assert.deepEqual(await databaseDigest(service), stored)
  const key = { 'idempotency-key': 'nothing' }
  for (const _ of [1, 2]) assert.equal((await again(order_id, key)).body.data.rows.length, 0)
  await service.sql(
    `update order_items set order_item_quantity = (case item_id when 1 then 3 when 2 then 4 else 1 end)
     where order_id = $1`,
    [order_id],
  )
  await service.checkInvariants()
})

test('with an Idempotency-Key a retry gets the first answer byte for byte and adds nothing', async () => {
  const order_id = await placeOrder()
  const key = { 'idempotency-key': 'again' }
  const first = await again(order_id, key)
  await service.sql('update items set on_sale = false where item_id = 2')
  assert.equal((await again(order_id, key)).text, first.text)
  await service.sql('update items set on_sale = true where item_id = 2')
  assert.equal(first.body.data.rows[0].cart_quantity, 3)
  assert.equal((await again(order_id)).body.data.rows[0].cart_quantity, 6)
})
