/** Successors and substitutes: shown with items, and named by refusals. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addFixtures, address } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())
beforeEach(async () => {
  world = await makeOperatorWorld(service, operators)
  await service.sql('delete from item_substitutes')
  await service.sql('update items set on_sale = item_id <> 5')
})

const set = (item_id: number, json: object) => operators.ok('PUT', `/operator/v1/items/${item_id}/substitutes/`, json)

test('an item shows its successor and its substitutes as the client can order them, best first', async () => {
  const { shop } = world
  assert.deepEqual(await set(1, { replaced_by: 4, substitutes: [3, 6, 2] }), {
    item_id: 1,
    replaced_by: 4,
    substitutes: [3, 6, 2],
  })
  const plain = await shop.ok('GET', '/api/v1/items/1/')
  const { replaced_by, substitutes, ...rest } = await shop.ok('GET', '/api/v1/items/1/?include=substitutes')
  assert.deepEqual(rest, plain)
  const offered = async (id: number): Promise<object> => {
    const { currency_code: _, tax_mode: __, ...offer } = await shop.ok('GET', `/api/v1/items/${id}/`)
    return offer
  }
  assert.deepEqual(replaced_by, await offered(4))
  assert.deepEqual(substitutes, [await offered(3), await offered(2)], 'item 6 has no price under this contract')
  const [listed] = await shop.ok('GET', '/api/v1/items/?articles=bn280v&include=substitutes')
  assert.deepEqual([listed.replaced_by, listed.substitutes], [replaced_by, substitutes])
  const other = await shop.ok('GET', '/api/v1/items/2/?include=substitutes')
  assert.deepEqual([other.replaced_by, other.substitutes], [null, []])
  const special = await shop.ok(
    'GET',
    `/api/v1/items/1/?include=substitutes&contract_id=${world.me.special_contract_id}`,
  )
  assert.deepEqual(
    [
      special.replaced_by,
      special.substitutes.map((one: { item_id: number; price: number }) => [one.item_id, one.price]),
    ],
    [
      null,
      [
        [6, 5],
        [2, 1_000_000],
      ],
    ],
  )
  await service.sql('update items set on_sale = false where item_id in (3, 4)')
  const left = await shop.ok('GET', '/api/v1/items/1/?include=substitutes')
  assert.deepEqual([left.replaced_by, left.substitutes], [null, [await offered(2)]])
})

test('what is set replaces everything before, is recorded with old and new values, and an item never replaces itself', async () => {
  await set(1, { replaced_by: 4, substitutes: [3] })
  const now = await set(1, { substitutes: [2] })
  assert.deepEqual(now, { item_id: 1, replaced_by: null, substitutes: [2] })
  assert.deepEqual(await set(1, { substitutes: [2] }), now)
  const log = await operators.ok('GET', '/operator/v1/catalogue-changes/?limit=1')
  assert.deepEqual([log[0].changed, log[0].data], ['item', { ...now, before: { replaced_by: 4, substitutes: [3] } }])
  for (const [field, json] of [
    ['replaced_by', { replaced_by: 1 }],
    ['substitutes', { substitutes: [3, 1] }],
  ] as const) {
    const answer = await service.request('PUT', '/operator/v1/items/1/substitutes/', {
      key: operators.keys.admin,
      json,
    })
    assert.deepEqual(
      [answer.status, answer.body.errors[0]?.code, answer.body.errors[0]?.field],
      [400, 'field_invalid', field],
    )
  }
  const item = await operators.ok('GET', '/operator/v1/items/1/')
  assert.deepEqual([item.replaced_by, item.substitutes], [null, [2]])
  assert.deepEqual(await set(1, {}), { item_id: 1, replaced_by: null, substitutes: [] })
})

test('refusals for lack of stock or sale name what is on sale instead', async () => {
  const { shop, me } = world
  await set(5, { replaced_by: 1, substitutes: [3, 2] })
  await set(3, { substitutes: [5, 2] })
  const cart_id = await shop.createCart()
  const items = `/api/v1/carts/${cart_id}/items/`
  const unsold = { item_id: 5, replaced_by: 1, substitutes: [3, 2] }
  const form = { item_id: 5, stock_id: 1, quantity: 1 }
  const added = await service.request('PUT', items, { key: me.key, form })
  assert.deepEqual([added.status, added.body.errors[0]?.details], [409, unsold])
  const rows = await service.request('PUT', `${items}bulk/`, { key: me.key, json: { rows: [form] } })
  assert.deepEqual(rows.body.data.rows[0].errors[0].details, unsold)

  await service.sql('update stock_levels set on_hand = reserved + 5 where stock_id = 1 and item_id = 3')
  await shop.add(cart_id, { item_id: 3, quantity: 6 })
  const place = async () =>
    service.request('PUT', '/api/v1/orders/', {
      key: me.key,
      form: { cart_group_key: await shop.groupKey(cart_id), ...address },
    })
  const lacking = await place()
  assert.deepEqual(
    [lacking.body.errors[0]?.code, lacking.body.errors[0]?.details],
    ['out_of_stock', { item_id: 3, stock_id: 1, available: 5, requested: 6, substitutes: [2] }],
  )
  await service.sql('update items set on_sale = false where item_id = 3')
  const withdrawn = await place()
  assert.deepEqual(
    [withdrawn.body.errors[0]?.code, withdrawn.body.errors[0]?.details],
    ['item_not_on_sale', { item_id: 3, substitutes: [2] }],
  )
  assert.deepEqual(await shop.ok('GET', '/api/v1/orders/'), [])
})
