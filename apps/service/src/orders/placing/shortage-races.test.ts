/** Counts and arrivals race orders and shipments: each ends as if one came after the other. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

interface Racer {
  readonly me: TestClient
  readonly item_id: number
}
let racers: Racer[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  racers = await Promise.all([101, 102, 103, 104].map(async (item_id) => ({ me: await addClient(service), item_id })))
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'S-' || n, '2000000000000', 'Part ' || n from generate_series(101, 104) n;
    insert into prices select 1, n, 1 from generate_series(101, 104) n;
    insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 10 from generate_series(101, 104) n;
  `)
})
after(() => service.close())

async function cartOf({ me, item_id }: Racer, quantity: number): Promise<{ cart_id: number; cart_group_key: string }> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id, quantity })
  return { cart_id, cart_group_key: await shop.groupKey(cart_id) }
}

const place = ({ me }: Racer, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

async function placed(racer: Racer, quantity: number): Promise<number> {
  const { cart_id, cart_group_key } = await cartOf(racer, quantity)
  const order_id = (await place(racer, cart_group_key)).body.data.created_order_id as number
  await shopper(service, racer.me).ok('DELETE', `/api/v1/carts/${cart_id}/`)
  return order_id
}

const count = ({ item_id }: Racer, on_hand: number) =>
  operators.ok('POST', `/operator/v1/stock-levels/1/${item_id}/count/`, { on_hand, reason: 'Counted.' })

const cancel = (order_id: number) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'Sold out.' })

test('a count below the reserved pieces races an order: the order is short, or gets nothing', async () => {
  const outcomes = await countOutcomes(rounds(1000), racers, async (racer) => {
    const first = await placed(racer, 3)
    const { cart_id, cart_group_key } = await cartOf(racer, 1)
    const [counted, second] = await atTheSameTime(
      () => count(racer, 2),
      () => place(racer, cart_group_key),
    )
    const { shortage, affected_orders, short_unlisted } = counted
    assert.equal(short_unlisted, 0)
    await shopper(service, racer.me).ok('DELETE', `/api/v1/carts/${cart_id}/`)
    await cancel(first)
    if (second.status === 200) await cancel(second.body.data.created_order_id)
    await count(racer, 10)
    return `${shortOf(second)}, ${shortage} short in ${affected_orders.length} orders`
  })
  assertAll(outcomes, 'done, 2 short in 2 orders', 'out_of_stock, 1 short in 1 orders')
  await service.checkInvariants()
})

test('an arrival races the shipping of two back-orders that wait for it: at most one is shipped, and no goods are lost', async () => {
  const outcomes = await countOutcomes(rounds(1000), racers, async (racer) => {
    const path = `/operator/v1/stock-levels/1/${racer.item_id}/`
    await operators.ok('PUT', path, { on_hand: 0, back_order: true })
    const waiting = [await placed(racer, 3), await placed(racer, 3)]
    for (const order_id of waiting)
      for (const state_id of ['processing', 'fulfilling'])
        await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
    const ship = (order_id: number): Promise<Answer> =>
      service.request('POST', `/operator/v1/orders/${order_id}/move/`, {
        key: operators.keys.decider,
        json: { state_id: 'shipped' },
      })
    const [, shipped] = await atTheSameTime(
      () => operators.ok('PUT', path, { on_hand: 3 }),
      () => Promise.all(waiting.map(ship)),
    )
    const results = shipped.map(shortOf)
    const [level] = await service.sql(
      'select on_hand::int, reserved::int from stock_levels where stock_id = 1 and item_id = $1',
      [racer.item_id],
    )
    const gone = results.filter((result) => result === 'done').length * 3
    assert.deepEqual(level, { on_hand: 3 - gone, reserved: 6 - gone })
    for (const [n, order_id] of waiting.entries()) if (results[n] !== 'done') await cancel(order_id)
    await operators.ok('PUT', path, { on_hand: 10, back_order: false })
    return results.toSorted().join(', ')
  })
  assertAll(outcomes, 'done, goods_missing', 'goods_missing, goods_missing')
  await service.checkInvariants()
})
