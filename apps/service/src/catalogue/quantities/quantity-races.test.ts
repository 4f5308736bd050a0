/** Quantities, rules and breaks that change at the same time: no line and no order gets a quantity or a price unseen. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addPackedItem } from '../../testing/stock.ts'

const raceRounds = rounds(640)

interface Buyer extends TestClient {
  readonly shop: ReturnType<typeof shopper>
  readonly item_id: number
  /** Empty before each round. */
  readonly cart_id: number
}

let service: TestService
let operators: Operators
let buyers: Buyer[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  buyers = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const me = await addClient(service)
      const shop = shopper(service, me)
      return { ...me, shop, item_id: await addPackedItem(service), cart_id: await shop.createCart() }
    }),
  )
})
after(() => service.close())

const add = ({ key, item_id, cart_id }: Buyer, quantity: number): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/`, { key, form: { item_id, stock_id: 1, quantity } })

const addRow = ({ key, item_id, cart_id }: Buyer, quantity: number): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/bulk/?mode=all`, {
    key,
    json: { rows: [{ item_id, stock_id: 1, quantity }] },
  })

const setRules = ({ item_id }: Buyer, quantity_min: number, quantity_multiple: number): Promise<unknown> =>
  service.sql('update items set quantity_min = $2, quantity_multiple = $3 where item_id = $1', [
    item_id,
    quantity_min,
    quantity_multiple,
  ])

const quantityOf = async ({ cart_id, shop }: Buyer): Promise<number> =>
  (await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`))[0]?.cart_items[0].quantity ?? 0

async function emptied(me: Buyer): Promise<void> {
  const [group] = await me.shop.ok('GET', `/api/v1/carts/${me.cart_id}/items/`)
  for (const { cart_item_id } of group?.cart_items ?? [])
    await me.shop.ok('DELETE', `/api/v1/carts/${me.cart_id}/items/${cart_item_id}/`)
}

/** A line of 25 pieces, from before the rules. */
async function addOddLine(me: Buyer): Promise<number> {
  await emptied(me)
  await setRules(me, 1, 1)
  const line = (await add(me, 25)).body.data.cart_item_id as number
  await setRules(me, 20, 10)
  return line
}

for (const [name, other] of Object.entries({ 'a single item': add, 'a row': addRow }))
  test(`of two additions that each would complete a pack, one as ${name}, one succeeds`, async () => {
    const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
      await addOddLine(me)
      const answers = await atTheSameTime(
        () => add(me, 5),
        () => other(me, 5),
      )
      assert.equal(await quantityOf(me), 30)
      return answers.map(shortOf).join(' and ')
    })
    const refused = other === add ? 'quantity_not_allowed' : 'rows_refused'
    assertAll(outcomes, `done and ${refused}`, 'quantity_not_allowed and done')
  })

test('an addition that needs the pieces of a line does not outlive the line', async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
    const line = await addOddLine(me)
    const [added] = await atTheSameTime(
      () => add(me, 5),
      () => me.shop.ok('DELETE', `/api/v1/carts/${me.cart_id}/items/${line}/`),
    )
    assert.equal(await quantityOf(me), 0)
    return shortOf(added)
  })
  assertAll(outcomes, 'done', 'quantity_not_allowed')
})

test('a smallest quantity that rises while an order is placed refuses it, or comes after it', async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
    await emptied(me)
    await setRules(me, 1, 1)
    await service.sql('update stock_levels set on_hand = on_hand + 10 where item_id = $1', [me.item_id])
    await add(me, 7)
    const order = { cart_group_key: await me.shop.groupKey(me.cart_id), ...address }
    const [placed] = await atTheSameTime(
      () => service.request('PUT', '/api/v1/orders/', { key: me.key, form: order }),
      () => setRules(me, 8, 1),
    )
    assert.equal(await quantityOf(me), placed.status === 200 ? 0 : 7)
    return shortOf(placed)
  })
  assertAll(outcomes, 'done', 'quantity_not_allowed')
  await service.checkInvariants()
})

test('a break that changes while an order is placed refuses it, or comes after it: its price is what was shown', async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
    const setBreak = (price: number): Promise<unknown> =>
      operators.ok('PUT', `/operator/v1/price-lists/1/prices/${me.item_id}/`, {
        price: 10,
        price_breaks: [{ quantity: 5, price }],
      })
    await emptied(me)
    await setRules(me, 1, 1)
    await setBreak(9.5)
    await service.sql('update stock_levels set on_hand = on_hand + 10 where item_id = $1', [me.item_id])
    await add(me, 7)
    const order = { cart_group_key: await me.shop.groupKey(me.cart_id), ...address }
    const [placed] = await atTheSameTime(
      () => service.request('PUT', '/api/v1/orders/', { key: me.key, form: order }),
      () => setBreak(9),
    )
    if (placed.status === 200) {
      const [line] = await me.shop.ok('GET', `/api/v1/orders/${placed.body.data.created_order_id}/items/`)
      assert.equal(line.order_item_price, 9.5)
    } else assert.deepEqual(placed.body.errors[0]?.details?.['changed'], ['prices'])
    return shortOf(placed)
  })
  assertAll(outcomes, 'done', 'cart_group_changed')
  await service.checkInvariants()
})
