import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordersScannedMax } from './read-operator-orders.ts'
import { copyOrder } from '../../testing/copy-order.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { long } from '../../testing/racing.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

type Filter = Readonly<Record<string, string | number>>

interface Placed {
  readonly order_id: number
  readonly client_id: number
  readonly stock_id: number
  readonly contract_id: number
  readonly state: string
  readonly articles: readonly string[]
  readonly day: string
}

let service: TestService
let operators: Operators
let clients: readonly [TestClient, TestClient]
/** Newest first. */
const placed: Placed[] = []

const dayOf = (n: number): string =>
  Temporal.PlainDate.from('2026-03-01')
    .add({ days: Math.floor(n / 6) })
    .toString()

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  await service.sql(`update stock_levels set on_hand = 1000`)
  await service.sql(`update items set item_vendor_code = 'fw-2' where item_id = 4`) // The article of item 2 in another case.
  clients = [await addClient(service), await addClient(service)]
  for (let n = 0; n < 60; n++) placed.unshift(await place(n))
})
after(() => service.close())

/** Remainders by coprime numbers produce all combinations. */
async function place(n: number): Promise<Placed> {
  const me = clients[n % 2 === 0 ? 0 : 1]
  const contract_id = n % 5 === 0 ? me.special_contract_id : me.contract_id
  const stock_id = n % 3 === 0 ? 2 : 1
  const items = n % 4 === 0 && stock_id === 1 && n % 5 !== 0 ? [2, 4] : n % 7 < 3 ? [2] : [1]
  const state = n % 11 < 4 ? 'processing' : 'new'
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  for (const item_id of items) await shop.add(cart_id, { item_id, quantity: 1, stock_id, contract_id })
  const order_id = await shop.order(cart_id)
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  if (state === 'processing')
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  const day = dayOf(n)
  for (const table of ['orders', 'order_items'])
    await service.sql(`update ${table} set order_create_datetime = $2 where order_id = $1`, [
      order_id,
      `${day} 12:00 UTC`,
    ])
  const articles = items.map((item_id) => (item_id === 1 ? 'bn-280-v' : 'fw-2'))
  return { order_id, client_id: me.client_id, stock_id, contract_id, state, articles, day }
}

const listed = async (filter: Filter, cursor?: string): Promise<{ ids: number[]; next: string | null }> => {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
  if (cursor !== undefined) query.set('cursor', cursor)
  const answer = await service.request('GET', `/operator/v1/orders/?${query.toString()}`, {
    key: operators.keys.viewer,
  })
  assert.equal(answer.status, 200, answer.text)
  const ids = answer.body.data.map(({ order_id }: { order_id: number }) => order_id)
  return { ids, next: answer.body.paging?.next_cursor ?? null }
}

/** All pages, each as its list of ids. */
async function pages(filter: Filter): Promise<number[][]> {
  const all: number[][] = []
  let next: string | null | undefined
  do {
    const page = await listed(filter, next ?? undefined)
    all.push(page.ids)
    next = page.next
  } while (next !== null)
  return all
}

const fits = (order: Placed, { sku_code, state, date_from, date_to, ...same }: Filter): boolean =>
  Object.entries(same).every(([name, value]) => order[name as keyof Placed] === value) &&
  (state === undefined || String(state).split(',').includes(order.state)) &&
  (sku_code === undefined || order.articles.includes(String(sku_code).toLowerCase())) &&
  (date_from === undefined || order.day >= String(date_from)) &&
  (date_to === undefined || order.day <= String(date_to))

/** Every combination of one value, or none, for each name. */
function combinations(values: Readonly<Record<string, readonly (string | number)[]>>): Filter[] {
  return Object.entries(values).reduce<Filter[]>(
    (filters, [name, choices]) =>
      filters.flatMap((filter) => [filter, ...choices.map((choice) => ({ ...filter, [name]: choice }))]),
    [{}],
  )
}

test('every combination of filters returns exactly the matching orders, newest first, page by page', async () => {
  const [mine, others] = clients
  const filters = combinations({
    client_id: [mine.client_id],
    state: ['new', 'processing', 'processing,canceled'],
    stock_id: [1, 2],
    contract_id: [mine.contract_id, others.special_contract_id],
    sku_code: ['FW-2'],
    date_from: [dayOf(20)],
    date_to: [dayOf(45)],
  })
  let found = 0
  for (const filter of long ? filters : filters.filter((_, n) => n % 19 === 0)) {
    const expected = placed.filter((order) => fits(order, filter)).map(({ order_id }) => order_id)
    const all = await pages({ ...filter, limit: 7 })
    assert.deepEqual(all.flat(), expected, JSON.stringify(filter))
    assert(all.slice(0, -1).every((page) => page.length === 7)) // With so few orders no page is short.
    found += expected.length
  }
  assert.equal(filters.length, 2 * 4 * 3 * 3 * 2 * 2 * 2)
  assert(found > (long ? 1_000 : 10))
})

test('a cursor is valid only with the filters it was issued for', async () => {
  const { next } = await listed({ stock_id: 1, limit: 5 })
  assert(next !== null)
  for (const query of ['stock_id=2', 'contract_id=1', 'sku_code=FW-2', 'stock_id=1&sku_code=FW-2']) {
    const answer = await service.request('GET', `/operator/v1/orders/?limit=5&${query}&cursor=${next}`, {
      key: operators.keys.viewer,
    })
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'cursor'])
  }
})

test('a rare order among many is found after empty pages, each of which examines a bounded number of orders', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id: 2 })
  const rare = await shop.order(cart_id)
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id: 1 })
  const common = await shop.order(cart_id)
  await operators.ok('POST', `/operator/v1/orders/${common}/move/`, { state_id: 'canceled', text: 'Sold out.' })
  await copyOrder(service, common, 2 * ordersScannedMax)

  const filter = { client_id: me.client_id, stock_id: 2 }
  assert.deepEqual(await pages(filter), [[], [], [rare]])
  assert.deepEqual(await pages({ ...filter, sku_code: 'BN-280-v' }), [[], [], [rare]])
  assert.deepEqual(await pages({ client_id: me.client_id, stock_id: 2, state: 'new' }), [[rare]])
  await service.checkInvariants()
})
