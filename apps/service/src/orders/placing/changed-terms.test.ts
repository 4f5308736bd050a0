/**
 * The terms of a cart group (discount, tax, currency, rate) and the mark of a virtual cart belong to its key: an order is
 * placed as shown.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
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

interface ShownGroup {
  readonly me: TestClient
  readonly shop: ReturnType<typeof shopper>
  readonly cart_id: number
  readonly cart_group_key: string
}

/** Two discs at 10.00 under the limited contract: 5% discount, 10% tax added. */
async function showGroup(): Promise<ShownGroup> {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 2, contract_id: me.limited_contract_id })
  return { me, shop, cart_id, cart_group_key: await shop.groupKey(cart_id) }
}

const place = ({ me }: ShownGroup, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

const changeContract = ({ me }: ShownGroup, changes: object): Promise<unknown> =>
  operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/contracts/${me.limited_contract_id}/`, changes)

const mark = ({ me, cart_id }: ShownGroup, virtual: boolean): Promise<unknown> =>
  operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual })

const setRate = (rate: number): Promise<unknown> =>
  operators.ok('PUT', '/operator/v1/currencies/EUR/', { minor_digits: 2, rate })

interface Change {
  readonly what: string
  readonly make: (group: ShownGroup) => Promise<unknown>
  readonly undo?: () => Promise<unknown>
  readonly changed: readonly string[]
  readonly price?: number
  /** Of the order under the new terms: total, discount, tax, rate. */
  readonly figures: readonly number[]
}

const changes: readonly Change[] = [
  {
    what: 'the discount',
    make: (group) => changeContract(group, { discount_percent: 10 }),
    changed: ['terms'],
    figures: [19.8, 2, 1.8, 1],
  },
  {
    what: 'the tax mode',
    make: (group) => changeContract(group, { tax_mode: 'included' }),
    changed: ['terms'],
    figures: [19, 1, 1.73, 1],
  },
  {
    what: 'the tax rate',
    make: (group) => changeContract(group, { tax_percent: 20 }),
    changed: ['terms'],
    figures: [22.8, 1, 3.8, 1],
  },
  {
    what: 'the exchange rate',
    make: () => setRate(1.25),
    undo: () => setRate(1),
    changed: ['terms'],
    figures: [20.9, 1, 1.9, 1.25],
  },
  {
    what: 'the currency of the price list',
    make: () => service.sql(`update price_lists set currency_code = 'KWD' where price_list_id = 1`), // Operators cannot.
    undo: () => service.sql(`update price_lists set currency_code = 'EUR' where price_list_id = 1`),
    changed: ['terms'],
    figures: [20.9, 1, 1.9, 3.05],
  },
  {
    what: 'the price list and the discount',
    make: (group) => changeContract(group, { price_list_id: 2, discount_percent: 0 }),
    changed: ['prices', 'terms'],
    price: 9,
    figures: [19.8, 0, 1.8, 1],
  },
  {
    what: 'the mark of a virtual cart',
    make: (group) => mark(group, true),
    changed: ['virtual'],
    figures: [20.9, 1, 1.9, 1],
  },
]

for (const { what, make, undo, changed, price = 10, figures } of changes) {
  test(`after a change of ${what} the key shown before orders nothing, and the current key orders`, async () => {
    const group = await showGroup()
    await make(group)
    const unchanged = await databaseDigest(service)
    const refused = await place(group, group.cart_group_key)
    assert.deepEqual(await databaseDigest(service), unchanged)
    const current = await group.shop.groupKey(group.cart_id)
    assert.deepEqual([refused.status, refused.body.errors.length], [409, 1])
    const { code, field, details } = refused.body.errors[0] ?? {}
    assert.deepEqual([code, field], ['cart_group_changed', 'cart_group_key'])
    assert.deepEqual(details, {
      cart_group_key: current,
      changed,
      cart_items: [{ item_id: 1, quantity: 2, price }],
    })

    const order_id: unknown = (await group.shop.ok('PUT', '/api/v1/orders/', { cart_group_key: current, ...address }))
      .created_order_id
    const order = await group.shop.ok('GET', `/api/v1/orders/${String(order_id)}/`)
    assert.deepEqual([order.order_total, order.order_discount, order.order_tax, order.order_rate], figures)
    await undo?.()
    await service.checkInvariants()
  })
}

test('terms changed and changed back give the same key, and it orders', async () => {
  const group = await showGroup()
  await changeContract(group, { discount_percent: 10, tax_mode: 'included', tax_percent: 0 })
  assert.notEqual(await group.shop.groupKey(group.cart_id), group.cart_group_key)
  await changeContract(group, { discount_percent: 5, tax_mode: 'added', tax_percent: 10 })
  assert.equal(await group.shop.groupKey(group.cart_id), group.cart_group_key)
  assert.equal((await place(group, group.cart_group_key)).status, 200)
})

test('the key of a virtual cart returns its order after the mark of the cart and of the order were removed', async () => {
  const group = await showGroup()
  await mark(group, true)
  const virtual_key = await group.shop.groupKey(group.cart_id)
  await mark(group, false)
  const stored = await databaseDigest(service)
  const refused = (await place(group, virtual_key)).body.errors[0]
  assert.deepEqual([refused?.code, refused?.details?.['changed']], ['cart_group_changed', ['virtual']])
  assert.deepEqual(await databaseDigest(service), stored)

  await mark(group, true)
  const { created_order_id } = (await place(group, virtual_key)).body.data
  assert.equal((await group.shop.ok('GET', `/api/v1/orders/${created_order_id}/`)).virtual, true)
  await mark(group, false)
  await operators.ok('POST', `/operator/v1/orders/${created_order_id}/clear-virtual/`)
  assert.deepEqual((await place(group, virtual_key)).body.data, { created_order_id })
  const other = (await place(group, group.cart_group_key)).body.errors[0]
  assert.deepEqual([other?.code, other?.details], ['cart_group_already_ordered', { order_id: created_order_id }])
  await service.checkInvariants()
})

test('what does not affect the total leaves the key as it is: names, the limit and the mark of the default', async () => {
  const group = await showGroup()
  await changeContract(group, { contract_name: 'Renamed', contract_limit: 900, contract_default: true })
  assert.equal(await group.shop.groupKey(group.cart_id), group.cart_group_key)
})

test('a key of the earlier form, without terms, returns the order that was placed with it, and places no new one', async () => {
  const group = await showGroup()
  const earlier = (key: string): string => key.split('-').slice(0, 3).join('-')
  const early = await place(group, earlier(group.cart_group_key))
  assert.deepEqual(
    [early.status, early.body.errors[0]?.code, early.body.errors[0]?.details?.['changed']],
    [409, 'cart_group_changed', ['terms']],
  )

  const { body } = await place(group, group.cart_group_key)
  const { created_order_id } = body.data
  // The order as a release before the terms stored it: the fingerprint of two digests, of any 16 digits each.
  const digests = ['5d3c0f6a1b2e4c8d', '9a8b7c6d5e4f3a2b']
  const [row] = await service.sql(
    'update orders set cart_group_fingerprint = $2 where order_id = $1 returning cart_group_id',
    [created_order_id, digests.join('')],
  )
  const unchanged = await databaseDigest(service)
  const repeated = await place(group, [row?.['cart_group_id'], ...digests].join('-'))
  assert.deepEqual([repeated.status, repeated.body.data], [200, { created_order_id }])
  const other = await place(group, [row?.['cart_group_id'], ...digests.toReversed()].join('-'))
  assert.deepEqual(
    [other.status, other.body.errors[0]?.code, other.body.errors[0]?.details],
    [409, 'cart_group_already_ordered', { order_id: created_order_id }],
  )
  assert.deepEqual(await databaseDigest(service), unchanged)
})
