import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { placeOrderFields } from '../order-input.ts'
import { placeOrder } from './place-order.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { address, byTheTests, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

async function newShopper(): Promise<{ me: TestClient; shop: ReturnType<typeof shopper> }> {
  const me = await addClient(service)
  return { me, shop: shopper(service, me) }
}

test('totals are exact: lines rounded half away from zero, discount, tax included or added', async () => {
  const { me, shop } = await newShopper()
  // 0.3333 × 3 = 0.9999 → 1.00; 2.5 × 3 = 7.50; together 8.50.
  const included = await shop.createCart()
  await shop.add(included, { item_id: 3, quantity: 3 })
  await shop.add(included, { item_id: 2, quantity: 3 })
  const first = await shop.ok('GET', `/api/v1/orders/${await shop.order(included)}/`)
  // 20% included in 8.50 is 8.50 × 20 / 120 = 1.41666… → 1.42.
  assert.deepEqual(
    [first.order_total, first.order_discount, first.order_tax, first.order_shipping, first.order_rate],
    [8.5, 0, 1.42, 0, 1],
  )

  const added = await shop.createCart()
  await shop.add(added, { item_id: 4, quantity: 1, contract_id: me.limited_contract_id })
  const second = await shop.ok('GET', `/api/v1/orders/${await shop.order(added)}/`)
  // 19.99 less 5% (0.9995 → 1.00) is 18.99; 10% added is 1.899 → 1.90.
  assert.deepEqual([second.order_total, second.order_discount, second.order_tax], [20.89, 1, 1.9])
  await service.checkInvariants()
})

test('the minor unit and the rate of the currency are frozen in the order', async () => {
  const { me, shop } = await newShopper()
  await service.sql('update contracts set price_list_id = 3 where contract_id = $1', [me.special_contract_id])
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, contract_id: me.special_contract_id })
  const order_id = await shop.order(cart_id)
  await service.sql(`update currencies set rate = 4 where currency_code = 'KWD'`)
  const order = await shop.ok('GET', `/api/v1/orders/${order_id}/`)
  assert.deepEqual([order.order_total, order.order_rate], [3.001, 3.05])
})

test('amounts pass through JSON exactly, up to fifteen digits', async () => {
  const { me, shop } = await newShopper()
  for (const price of ['99999999999.9999', '0.0001', '12345678901.2345', '70368744177.6641']) {
    await service.sql('update prices set price = $1 where price_list_id = 2 and item_id = 1', [price])
    const item = await service.request('GET', `/api/v1/items/1/?contract_id=${me.special_contract_id}`, { key: me.key })
    assert.match(item.text, new RegExp(`"price":${price.replace('.', String.raw`\.`)},`))
  }
  await service.sql('update prices set price = 9 where price_list_id = 2 and item_id = 1')
  assert(shop)
})

test('later changes of the catalogue do not change an order', async () => {
  const { shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 2 })
  const order_id = await shop.order(cart_id)
  const before_ = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  await service.sql(`update items set item_title = 'Renamed', item_vendor_code = 'NEW' where item_id = 2`)
  await service.sql('update prices set price = 99 where price_list_id = 1 and item_id = 2')
  assert.deepEqual(await shop.ok('GET', `/api/v1/orders/${order_id}/items/`), before_)
  await service.sql(`update items set item_title = 'Oil filter F2', item_vendor_code = 'FW-2' where item_id = 2`)
  await service.sql('update prices set price = 2.5 where price_list_id = 1 and item_id = 2')
})

test('a changed price refuses the order, with the new key and the new price', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 2 })
  const key = await shop.groupKey(cart_id)
  await service.sql('update prices set price = 2.75 where price_list_id = 1 and item_id = 2')
  const refused = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: key, ...address },
  })
  assert.equal(refused.status, 409)
  const { details } = refused.body.errors[0] ?? {}
  assert.deepEqual(details?.['changed'], ['prices'])
  assert.deepEqual(details?.['cart_items'], [{ item_id: 2, quantity: 2, price: 2.75 }])
  assert.equal(details?.['cart_group_key'], await shop.groupKey(cart_id))
  await service.sql('update prices set price = 2.5 where price_list_id = 1 and item_id = 2')
  assert.equal(
    (await service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key: key, ...address } }))
      .status,
    200,
  )
})

test('a quantity changed and changed back can be ordered with the old key', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  const line = await shop.add(cart_id, { item_id: 2, quantity: 2 })
  const key = await shop.groupKey(cart_id)
  await shop.ok('PATCH', `/api/v1/carts/${cart_id}/items/${line}/`, { quantity: 5 })
  await shop.ok('PATCH', `/api/v1/carts/${cart_id}/items/${line}/`, { quantity: 2 })
  assert.equal(await shop.groupKey(cart_id), key)
  assert.equal(
    (await service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key: key, ...address } }))
      .status,
    200,
  )
})

test('every item out of stock is reported; a stock level with back-orders never is', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 30, stock_id: 2 })
  await shop.add(cart_id, { item_id: 2, quantity: 21, stock_id: 2 })
  await shop.add(cart_id, { item_id: 4, quantity: 1, stock_id: 2 })
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: await shop.groupKey(cart_id), ...address },
  })
  assert.deepEqual(
    answer.body.errors.map(({ code, details }) => [
      code,
      details?.['item_id'],
      details?.['available'],
      details?.['requested'],
    ]),
    [
      ['out_of_stock', 1, 20, 30],
      ['out_of_stock', 2, 20, 21],
      ['out_of_stock', 4, 0, 1], // No stock level here.
    ],
  )
  const backOrdered = await shop.createCart()
  await shop.add(backOrdered, { item_id: 4, quantity: 500 })
  await shop.order(backOrdered)
  await service.checkInvariants()
})

test('the groups of a cart, by stock, contract and advertising budget, are ordered separately', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.add(cart_id, { item_id: 1, quantity: 2, stock_id: 2 })
  await shop.add(cart_id, { item_id: 1, quantity: 3, contract_id: me.limited_contract_id })
  await shop.ok('PUT', `/api/v1/carts/${cart_id}/items/`, {
    item_id: 1,
    stock_id: 1,
    quantity: 4,
    for_advertising_budget: 'Spring',
  })
  const groups = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual(
    groups.map((group: { cart_items: { quantity: number }[] }) => group.cart_items.map(({ quantity }) => quantity)),
    [[1], [2], [3], [4]],
  )
  const { created_order_id } = await shop.ok('PUT', '/api/v1/orders/', {
    cart_group_key: groups[3].cart_group_key,
    ...address,
  })
  assert.equal((await shop.ok('GET', `/api/v1/orders/${created_order_id}/`)).order_advertising, 'Spring')
  assert.equal((await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)).length, 3)
})

test('a virtual cart becomes a virtual order that reserves no stock but counts against the limit', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await service.sql('update carts set virtual = true where cart_id = $1', [cart_id])
  await shop.add(cart_id, { item_id: 1, quantity: 21, stock_id: 2, contract_id: me.limited_contract_id })
  const order_id = await shop.order(cart_id)
  assert.equal((await shop.ok('GET', `/api/v1/orders/${order_id}/`)).virtual, true)
  assert.deepEqual(
    await service.sql('select exposure from contracts where contract_id = $1', [me.limited_contract_id]),
    [{ exposure: '219.450' }],
  )
  await service.checkInvariants()
})

test('a line that lost its price shows the last price and cannot be ordered', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 6, quantity: 1, contract_id: me.special_contract_id })
  await service.sql('delete from prices where price_list_id = 2 and item_id = 6')
  const [group] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.equal(group.cart_items[0].price, 5)
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: group.cart_group_key, ...address },
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'item_not_priced'])
  await service.sql('insert into prices values (2, 6, 5)')
})

test('an old key of a group ordered under a newer key is refused with the order id, and orders nothing', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const old = await shop.groupKey(cart_id)
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: old, ...address },
  })
  assert.deepEqual(
    [answer.status, answer.body.errors[0]?.code, answer.body.errors[0]?.details],
    [409, 'cart_group_already_ordered', { order_id }],
  )
})

test('an old key does not order a group that gained a line since taken off sale, and the line stays', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const old = await shop.groupKey(cart_id)
  await shop.add(cart_id, { item_id: 4, quantity: 7 })
  await service.sql('update items set on_sale = false where item_id = 4')
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: old, ...address },
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'cart_group_changed'])
  assert.equal((await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`))[0].cart_items.length, 2)
  await service.sql('update items set on_sale = true where item_id = 4')
  await service.checkInvariants()
})

test('a discount that exceeds its column is refused with order_total_too_large, without retries', async () => {
  const { me, shop } = await newShopper()
  await service.sql('update contracts set discount_percent = 99 where contract_id = $1', [me.special_contract_id])
  await service.sql('update prices set price = 99999999999 where price_list_id = 2 and item_id = 1')
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 20, contract_id: me.special_contract_id })
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: me.key,
    form: { cart_group_key: await shop.groupKey(cart_id), ...address },
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'order_total_too_large'])
  await service.sql('update prices set price = 9 where price_list_id = 2 and item_id = 1')
})

test('each change of an order records an event, numbered without gaps, with actor and request id', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const order_id = await shop.order(cart_id)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/`, {
    shipping_date: Temporal.Now.plainDateISO('UTC').add({ days: 2 }).toString(),
  })
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity: 2 })
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity: 1 })
  await service.request('DELETE', `/api/v1/orders/${order_id}/`, {
    key: me.key,
    headers: { 'x-request-id': 'my-request' },
  })
  const events = await service.sql(
    'select event_number, event_type, order_id, actor, request_id from events where client_id = $1 and order_id = $2 order by event_number',
    [me.client_id, order_id],
  )
  assert.deepEqual(
    events.map(({ event_number, event_type }) => [Number(event_number), event_type]),
    [
      [2, 'order.created'],
      [3, 'order.rescheduled'],
      [4, 'adjustment.created'],
      [5, 'adjustment.decided'],
      [6, 'adjustment.created'],
      [7, 'order.state_changed'],
      [8, 'adjustment.decided'],
    ],
  )
  assert(events.every((event) => event['actor'] === `key ${me.key_id}`))
  assert.equal(events.at(-1)?.['request_id'], 'my-request')
  await service.checkInvariants()
})

/** A value of each field, from the examples in the reference; the names come from the form, so a new field is tested too. */
const { cart_group_key: _, address_id: __, metadata: ___, ...inputFields } = placeOrderFields
const exampleInput = Object.fromEntries(
  Object.entries(inputFields).map(([name, { schema }]) => [name, String([schema['examples']].flat()[0])]),
)

test('every field of the request is stored with the order, in the column of its name', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const form = { cart_group_key: await shop.groupKey(cart_id), ...exampleInput }
  const { created_order_id } = await shop.ok('PUT', '/api/v1/orders/', form)
  const [row] = await service.sql('select * from orders where client_id = $1 and order_id = $2', [
    me.client_id,
    created_order_id,
  ])
  for (const [name, value] of Object.entries(exampleInput)) assert.equal(String(row?.[name]), value, name)
})

test('a repeated request returns the same order; with another value in any field it is refused with the order id', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const form: Record<string, string> = { cart_group_key: await shop.groupKey(cart_id), ...exampleInput }
  const send = (changed: Record<string, string>): ReturnType<TestService['request']> =>
    service.request('PUT', '/api/v1/orders/', { key: me.key, form: { ...form, ...changed } })
  const first = await send({})
  assert.equal(first.status, 200)
  assert.equal((await send({})).text, first.text)

  const others: Record<string, Record<string, string>> = {
    country_code: { country_code: 'FR', region_code: 'FR-75C' },
    region_code: { region_code: 'DE-BB' },
    ...Object.fromEntries(
      Object.keys(exampleInput)
        .filter((name) => name !== 'country_code' && name !== 'region_code')
        .map((name) => [name, { [name]: '7' }]),
    ),
    'room left out': { room: '' },
  }
  for (const [name, changed] of Object.entries(others)) {
    const answer = await send(changed)
    assert.deepEqual(
      [answer.status, answer.body.errors[0]?.code, answer.body.errors[0]?.details],
      [409, 'cart_group_already_ordered', { order_id: first.body.data.created_order_id }],
      name,
    )
  }
  await service.checkInvariants()
})

test('every caller of placeOrder gets the rule that the region belongs to the country', async () => {
  const { me, shop } = await newShopper()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const cart_group_key = await shop.groupKey(cart_id)
  const ordering = { client_id: me.client_id, contact_id: me.contact_id, remark: '', ...byTheTests }
  const input = { ...address, cart_group_key, region_code: 'FR-75C' }
  await assert.rejects(
    placeOrder(service.db, ordering, input),
    (error) => error instanceof Refusal && error.errors[0]?.code === 'region_code_unknown',
  )
  assert.equal(await shop.groupKey(cart_id), cart_group_key)
})
