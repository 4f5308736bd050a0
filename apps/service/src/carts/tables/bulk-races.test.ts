import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
  // 200 more items that can be ordered from stocks 1 and 2.
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'R-' || n, 'R' || n, 'Racing part' from generate_series(1001, 1200) n;
    insert into prices select 1, n, 1 from generate_series(1001, 1200) n;
    insert into stock_levels (stock_id, item_id, on_hand) select s, n, 1000000
    from generate_series(1001, 1200) n, generate_series(1, 2) s`)
})
after(() => service.close())

type Row = Record<string, string | number>

const put = ({ me }: World, cart_id: number, rows: readonly Row[], key?: string): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`, {
    key: me.key,
    json: rows,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

const piecesIn = async (cart_id: number): Promise<number> => {
  const [sum] = await service.sql(
    `select coalesce(sum(quantity), 0)::int as pieces from cart_items join cart_groups using (client_id, cart_group_id)
     where cart_id = $1`,
    [cart_id],
  )
  return Number(sum?.['pieces'])
}

/** PostgreSQL counts them even if a retry hides them. The counter is written a moment after the statement. */
async function deadlocks(): Promise<number> {
  await service.sql('select pg_stat_force_next_flush()')
  const [row] = await service.sql('select deadlocks::int from pg_stat_database where datname = current_database()')
  return Number(row?.['deadlocks'])
}

const worlds = (count: number): Promise<World[]> => Promise.all(Array.from({ length: count }, () => makeWorld(service)))

test('64 concurrent requests with one key add their rows once, and get 64 equal answers', async () => {
  const [world] = await worlds(1)
  assert(world)
  const cart_id = await world.shop.createCart()
  const rows = Array.from({ length: 50 }, (_, n) => ({ article: `r ${1001 + n}`, quantity: 2, stock_id: 1 + (n % 2) }))
  const answers = await Promise.all(Array.from({ length: 64 }, () => put(world, cart_id, rows, 'race')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.deepEqual([answers[0]?.status, await piecesIn(cart_id)], [200, 100])
  await service.checkInvariants()
})

test('two bulk requests with the same rows in opposite order both add all, without a deadlock', async () => {
  const before = await deadlocks()
  const rows: Row[] = Array.from({ length: 120 }, (_, n) => ({
    item_id: 1001 + (n % 60),
    quantity: 1,
    stock_id: 1 + (n % 2),
    for_advertising_budget: `Budget ${n % 7}`,
  }))
  const outcomes = await countOutcomes(rounds(400), await worlds(4), async (world) => {
    const cart_id = await world.shop.createCart()
    const [one, other] = await atTheSameTime(
      () => put(world, cart_id, rows),
      () => put(world, cart_id, rows.toReversed()),
    )
    const pieces = await piecesIn(cart_id)
    await world.shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return `${shortOf(one)} ${shortOf(other)} ${pieces}`
  })
  assert.deepEqual(Object.keys(outcomes), ['done done 240'])
  assert.equal(await deadlocks(), before)
  await service.checkInvariants()
})

test('a bulk request races single additions and removals in the same groups: nothing is lost, without a deadlock', async () => {
  const before = await deadlocks()
  const rows: Row[] = Array.from({ length: 60 }, (_, n) => ({
    item_id: 1001 + n,
    quantity: 1,
    stock_id: 2 - (n % 2),
  }))
  const outcomes = await countOutcomes(rounds(400), await worlds(4), async (world) => {
    const cart_id = await world.shop.createCart()
    const first = await world.shop.add(cart_id, { item_id: 1001, quantity: 5, stock_id: 2 })
    await world.shop.add(cart_id, { item_id: 1002, quantity: 5 })
    const singles = async (): Promise<void> => {
      await world.shop.add(cart_id, { item_id: 1003, quantity: 2, stock_id: 2 })
      await world.shop.ok('DELETE', `/api/v1/carts/${cart_id}/items/${first}/`)
      await world.shop.add(cart_id, { item_id: 1002, quantity: 2 })
    }
    const [bulk] = await atTheSameTime(() => put(world, cart_id, rows), singles)
    // The removed line had five pieces, or six if the bulk request came first; then its piece is gone too.
    const pieces = await piecesIn(cart_id)
    await world.shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return `${shortOf(bulk)} ${pieces}`
  })
  assertAll(outcomes, 'done 69', 'done 68')
  assert.equal(await deadlocks(), before)
  await service.checkInvariants()
})

test('a bulk request races the deletion of its cart: it comes before, or finds no cart', async () => {
  const before = await deadlocks()
  const rows: Row[] = Array.from({ length: 40 }, (_, n) => ({ item_id: 1001 + n, quantity: 1, stock_id: 1 + (n % 2) }))
  const outcomes = await countOutcomes(rounds(400), await worlds(4), async (world) => {
    const cart_id = await world.shop.createCart()
    await world.shop.add(cart_id, { item_id: 1001, quantity: 5, stock_id: 2 })
    await world.shop.add(cart_id, { item_id: 1002, quantity: 5 })
    const [bulk, deleted] = await atTheSameTime(
      () => put(world, cart_id, rows),
      () => service.request('DELETE', `/api/v1/carts/${cart_id}/`, { key: world.me.key }),
    )
    assert.equal(deleted.status, 200)
    return shortOf(bulk)
  })
  assertAll(outcomes, 'done', 'cart_not_found')
  assert.equal(await deadlocks(), before)
  await service.checkInvariants()
})

test('a bulk request races an order of one of its groups: the order has what its key showed, the rest stays in the cart', async () => {
  const rows: Row[] = Array.from({ length: 40 }, (_, n) => ({ item_id: 1001 + n, quantity: 1, stock_id: 1 + (n % 2) }))
  const outcomes = await countOutcomes(rounds(400), await worlds(4), async (world) => {
    const cart_id = await world.shop.createCart()
    await world.shop.add(cart_id, { item_id: 1001, quantity: 5 })
    const [bulk, ordered] = await atTheSameTime(
      () => put(world, cart_id, rows),
      async () => world.shop.order(cart_id).catch(() => undefined),
    )
    assert.equal(bulk.status, 200, bulk.text)
    const pieces = await piecesIn(cart_id)
    const [sum] = await service.sql(
      'select sum(order_item_quantity)::int as pieces from order_items where order_id = $1',
      [ordered],
    )
    assert.equal(pieces + Number(sum?.['pieces']), 45)
    await world.shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return ordered === undefined ? 'refused' : `ordered ${Number(sum?.['pieces'])}`
  })
  // The key is read first, so the order has five pieces, or those of the whole bulk request, or the key has changed.
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !['ordered 5', 'ordered 25', 'refused'].includes(outcome)),
    [],
  )
  await service.checkInvariants()
})

test('concurrent bulk requests fill a cart to 1,000 lines and not further', async () => {
  const [world] = await worlds(1)
  assert(world)
  const cart_id = await world.shop.createCart()
  const rows = (budget: number): Row[] =>
    Array.from({ length: 200 }, (_, n) => ({ item_id: 1001 + n, quantity: 1, for_advertising_budget: `B${budget}` }))
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => put(world, cart_id, rows(n))))
  for (const { status, text } of answers) assert.equal(status, 200, text)
  const sum = (of: 'rows_added' | 'rows_refused'): number =>
    answers.reduce((total, { body }) => total + Number(body.data[of]), 0)
  assert.deepEqual([sum('rows_added'), sum('rows_refused')], [1000, 600])
  await service.checkInvariants()
})
