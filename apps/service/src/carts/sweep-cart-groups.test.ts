import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepCartGroups } from './sweep-cart-groups.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let me: TestClient
let shop: ReturnType<typeof shopper>
let cart_id: number

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  shop = shopper(service, me)
  cart_id = await shop.createCart()
})
after(() => service.close())

const sweep = async (): Promise<number> =>
  (await Array.fromAsync(sweepCartGroups(service.db))).reduce((sum, swept) => sum + swept, 0)

/** Groups without lines, as two removals at once leave them. */
const addEmptyGroups = (groups: number, advertising = "'Budget ' || n"): Promise<unknown> =>
  service.sql(
    `insert into cart_groups (client_id, cart_id, stock_id, contract_id, advertising)
     select $1, $2, 1, $3, ${advertising} from generate_series(1, $4::integer) n`,
    [me.client_id, cart_id, me.contract_id, groups],
  )

const groups = async (): Promise<number> =>
  Number((await service.sql('select count(*) from cart_groups'))[0]?.['count'])

test('empty groups are deleted, however many; those with lines stay as they are', async () => {
  await addEmptyGroups(600)
  await shop.add(cart_id, { item_id: 1, quantity: 2 })
  await addEmptyGroups(600, "'Later ' || n")
  const shown = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.equal(await sweep(), 1_200)
  assert.equal(await groups(), 1)
  assert.deepEqual(await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`), shown)
  assert.equal(await sweep(), 0)
  await shop.order(cart_id)
  await service.checkInvariants()
})

test('an empty group left by two concurrent removals is gone after a sweep', async () => {
  for (let round = 0; round < 30; round++) {
    const lines = await Promise.all([1, 2].map((item_id) => shop.add(cart_id, { item_id, quantity: 1 })))
    await Promise.all(lines.map((line) => shop.ok('DELETE', `/api/v1/carts/${cart_id}/items/${line}/`)))
  }
  await sweep()
  assert.equal(await groups(), 0)
  await service.checkInvariants()
})

test('items added to an empty group while it is swept are never lost', async () => {
  let swept = 0
  for (let round = 0; round < 300; round++) {
    await addEmptyGroups(1, "''")
    const [deleted, line] = await Promise.all([sweep(), shop.add(cart_id, { item_id: 1, quantity: 1 })])
    swept += deleted
    const [group] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
    assert.deepEqual(
      group.cart_items.map(({ cart_item_id }: { cart_item_id: number }) => cart_item_id),
      [line],
    )
    await shop.order(cart_id)
  }
  assert(swept > 0 && swept < 300, `Both must have come first at times, but the sweep did ${swept} times.`)
  await service.checkInvariants()
})
