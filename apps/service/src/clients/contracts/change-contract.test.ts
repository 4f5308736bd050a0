import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const place = (me: TestClient, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

const change = (me: TestClient, path: string, json: object) =>
  operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/${path}`, json)

test('with another price list carts show its prices, and nothing can be ordered at prices that were not shown', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 2 })
  const priceShown = async () => (await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`))[0].cart_items[0].price
  const keyBefore = await shop.groupKey(cart_id)
  assert.equal(await priceShown(), 10)

  await change(me, `contracts/${me.contract_id}/`, { price_list_id: 2 })
  assert.equal(await priceShown(), 9)
  const refused = await place(me, keyBefore)
  const keyNow = await shop.groupKey(cart_id)
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [409, 'cart_group_changed'])
  assert.deepEqual(refused.body.errors[0]?.details, {
    cart_group_key: keyNow,
    changed: ['prices'],
    cart_items: [{ item_id: 1, quantity: 2, price: 9 }],
  })
  const placed = await place(me, keyNow)
  const order = await shop.ok('GET', `/api/v1/orders/${placed.body.data.created_order_id}/`)
  assert.equal(order.order_total, 18)
  await service.checkInvariants()
})

test('an item without a price in the new price list cannot be ordered', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 4, quantity: 1 })
  const key = await shop.groupKey(cart_id)
  await change(me, `contracts/${me.contract_id}/`, { price_list_id: 2 })
  const refused = await place(me, key)
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [409, 'item_not_priced'])
})

test('an order keeps the terms under which it was placed, and its adjustment is calculated by them', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 10, contract_id: me.limited_contract_id })
  const order_id = await shop.order(cart_id)
  await change(me, `contracts/${me.limited_contract_id}/`, { discount_percent: 50, tax_percent: 0, price_list_id: 2 })
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, {
    quantity: 20,
  })
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
  // 20 discs at 10.00, less 5%, plus 10% tax.
  assert.equal((await shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_total, 209)
  await service.checkInvariants()
})

test('a limit below the open orders is accepted, and nothing new until they are below it; removing it is confirmed', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const { limited_contract_id: contract_id } = me
  const path = `contracts/${contract_id}/`
  // A piece of item 1 is 10.45: less 5%, plus 10% tax.
  const fill = async (quantity: number): Promise<string> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity, contract_id })
    return shop.groupKey(cart_id)
  }
  const orders = [await place(me, await fill(10)), await place(me, await fill(5))].map(
    ({ body }) => body.data.created_order_id as number,
  )
  const lowered = await change(me, path, { contract_limit: 60 })
  assert.deepEqual([lowered.contract_limit, lowered.exposure], [60, 156.75])

  const key = await fill(1)
  const refused = await place(me, key)
  assert.deepEqual(refused.body.errors[0]?.details, { contract_id, limit: 60, used: 156.75, requested: 10.45 })
  const [line] = await shop.ok('GET', `/api/v1/orders/${orders[1]}/items/`)
  const adjust = (quantity: number) =>
    shop.ok('PATCH', `/api/v1/orders/${orders[1]}/items/${line.order_item_id}/`, { quantity })
  const more = await adjust(6)
  const accept = (adjustment_id: number): Promise<Answer> =>
    service.request('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`, { key: operators.keys.decider })
  assert.equal((await accept(more.adjustment_id)).body.errors[0]?.code, 'contract_limit_exceeded')
  const less = await adjust(4)
  const inbox = await operators.ok('GET', '/operator/v1/inbox/')
  assert.deepEqual(inbox.at(-1).decisions, ['accept', 'reject'])
  assert.equal((await accept(less.adjustment_id)).status, 200) // 146.30 are open.
  await service.checkInvariants()

  // What became free is not given to new orders while the rest is above the limit.
  assert.equal((await place(me, key)).body.errors[0]?.code, 'contract_limit_exceeded')
  await operators.ok('POST', `/operator/v1/orders/${orders[0]}/move/`, { state_id: 'canceled', text: 'Too much.' })
  assert.equal((await place(me, key)).status, 200) // 41.80 and 10.45.
  assert.equal((await place(me, await fill(1))).body.errors[0]?.code, 'contract_limit_exceeded')
  await service.checkInvariants()

  const unlimited = await service.request('PATCH', `/operator/v1/clients/${me.client_id}/${path}`, {
    key: operators.keys.admin,
    json: { contract_limit: 0 },
  })
  assert.deepEqual(unlimited.body.errors[0]?.details, { change: 'contract_limit', before: 60, after: 0 })
  assert.equal((await change(me, path, { contract_limit: 0, expected: 60, confirmed: true })).contract_limit, 0)
  assert.equal((await change(me, path, { contract_limit: 0 })).contract_limit, 0) // It is so already.
  assert.equal((await place(me, await fill(9))).status, 200)
  await service.checkInvariants()
})

test('items in a cart cannot be ordered from a stock that no longer serves the client', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const key = await shop.groupKey(cart_id)
  await change(me, '', { stock_ids: [2] })
  const refused = await place(me, key)
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [409, 'stock_not_serving'])
  assert.deepEqual(
    (await shop.ok('GET', '/api/v1/stocks/')).map(({ stock_id }: { stock_id: number }) => stock_id),
    [2],
  )
  await change(me, '', { client_name: 'Served again', stock_ids: [1] })
  assert.equal((await place(me, key)).status, 200)
})

test('items added without a contract are ordered under the contract that is the default when they are added', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await change(me, `contracts/${me.special_contract_id}/`, { contract_default: true })
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const groups = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual(
    groups.map(({ contract }: { contract: { contract_id: number; contract_default: boolean } }) => [
      contract.contract_id,
      contract.contract_default,
    ]),
    [
      [me.contract_id, false],
      [me.special_contract_id, true],
    ],
  )
})

test("the client's event log records every change with what changed and who changed it, but no contact's email address", async () => {
  const me = await addClient(service)
  const client = `/operator/v1/clients/${me.client_id}/`
  const [before] = await service.sql('select event_number from clients where client_id = $1', [me.client_id])
  await change(me, '', { client_name: 'Weber & Sons' })
  await change(me, '', { stock_ids: [2, 1] })
  const contact = await operators.ok('POST', `${client}contacts/`, {
    contact_name: 'Paula',
    contact_email: 'p@w.example',
  })
  await change(me, `contacts/${contact.contact_id}/`, { contact_email: 'paula@w.example' })
  const contract = await operators.ok('POST', `${client}contracts/`, { contract_name: 'Winter', price_list_id: 2 })
  await change(me, `contracts/${contract.contract_id}/`, { contract_default: true, contract_limit: 12.5 })

  const events = await service.sql(
    'select event_type, data, actor, request_id from events where client_id = $1 and event_number > $2 order by event_number',
    [me.client_id, before?.['event_number']],
  )
  const { contact_id } = contact
  const { contract_id, exposure: _, block_reason: __, ...terms } = contract
  assert.deepEqual(
    events.map(({ event_type, data }) => [event_type, data]),
    [
      ['client.changed', { client_name: 'Weber & Sons', before: { client_name: 'Garage Weber' } }],
      ['client.changed', { stock_ids: [2, 1], before: { stock_ids: [1, 2] } }],
      ['contact.created', { contact_id, contact_name: 'Paula' }],
      ['contact.changed', { contact_id, contact_name: 'Paula' }],
      ['contract.created', { contract_id, ...terms }],
      [
        'contract.changed',
        {
          contract_id,
          contract_default: true,
          contract_limit: 12.5,
          before: { contract_default: false, contract_limit: 0 },
        },
      ],
    ],
  )
  for (const { actor, request_id } of events) {
    assert.match(String(actor), /^operator \d+ key \d+$/)
    assert.match(String(request_id), /^[\w.-]{1,64}$/)
  }
  await service.checkInvariants()
})
