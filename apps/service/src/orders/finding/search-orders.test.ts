import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { copyOrder } from '../../testing/copy-order.ts'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let weber: TestClient
let lindner: TestClient
/** Ids by name, in the order of their creation. */
const ids: Record<string, number> = {}

interface Placed {
  readonly item_id?: number
  readonly quantity?: number
  readonly stock_id?: number
  readonly city?: string
  readonly reference?: string
}

async function place(
  me: TestClient,
  { item_id = 1, quantity = 1, stock_id = 1, city = 'Berlin', reference }: Placed = {},
): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id, quantity, stock_id })
  const cart_group_key = await shop.groupKey(cart_id)
  const sent = { cart_group_key, ...address, city, ...(reference === undefined ? {} : { reference }) }
  return (await shop.ok('PUT', '/api/v1/orders/', sent)).created_order_id as number
}

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  weber = await addClient(service, { name: 'Garage Weber' })
  lindner = await addClient(service, { name: 'Autohaus Lindner & Söhne' })
  ids['plain'] = await place(weber)
  ids['referenced'] = await place(weber, { reference: 'PO-2026-0815', city: 'Bad Homburg' })
  ids['filters'] = await place(lindner, { item_id: 2, quantity: 9, stock_id: 2, reference: 'po-2026-0816' })
  ids['short'] = await place(lindner, { item_id: 4, quantity: 2, city: 'Bernau' }) // None is on hand.
})
after(() => service.close())

async function pages(query: Readonly<Record<string, string>>): Promise<string[][]> {
  const all: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const text: string = new URLSearchParams({ ...query, cursor }).toString()
    const answer = await service.request('GET', `/operator/v1/orders/?${text}`, { key: operators.keys.viewer })
    assert.equal(answer.status, 200, answer.text)
    all.push(answer.body.data.map(({ order_id }: { order_id: number }) => nameOf(order_id)))
    cursor = answer.body.paging?.next_cursor ?? null
  }
  return all
}

const nameOf = (order_id: number): string =>
  Object.entries(ids).find(([, id]) => id === order_id)?.[0] ?? String(order_id)
const found = async (query: Readonly<Record<string, string>>): Promise<string[]> => (await pages(query)).flat()

test('an order is found by its number, reference, client, article, barcode and city, newest first', async () => {
  const [row] = await service.sql('select order_number from orders where order_id = $1', [ids['plain']])
  const expected: Record<string, string[]> = {
    [String(row?.['order_number'])]: ['plain'],
    'PO-2026-0815': ['referenced'],
    'po-2026': ['filters', 'referenced'],
    lindner: ['short', 'filters'],
    'söhne auto': ['short', 'filters'],
    'GARAGE web': ['referenced', 'plain'],
    'anna weber': ['short', 'filters', 'referenced', 'plain'], // The name of both contacts.
    'bn-280-v': ['referenced', 'plain'],
    '4006381333948': ['filters'],
    '4006381333962': ['short'],
    'bad hom': ['referenced'],
    ber: ['short', 'filters', 'plain'],
    homburg: [],
    'o-2026': [],
    '%': [],
  }
  for (const [search, names] of Object.entries(expected)) assert.deepEqual(await found({ search }), names, search)
  assert.deepEqual(await pages({ search: 'ber', limit: '1' }), [['short'], ['filters'], ['plain']])
  assert.deepEqual(await pages({ search: 'po-', limit: '1' }), [['filters'], ['referenced']])
})

test('a search combines with every filter', async () => {
  await operators.ok('POST', `/operator/v1/orders/${ids['plain']}/move/`, { state_id: 'processing' })
  assert.deepEqual(await found({ search: 'ber', state: 'new' }), ['short', 'filters'])
  assert.deepEqual(await found({ search: 'ber', state: 'new,processing' }), ['short', 'filters', 'plain'])
  assert.deepEqual(await found({ search: 'ber', stock_id: '2' }), ['filters'])
  assert.deepEqual(await found({ search: 'ber', client_id: String(weber.client_id) }), ['plain'])
  assert.deepEqual(await found({ search: 'ber', sku_code: 'FW-2/10' }), ['short'])
  assert.deepEqual(await found({ search: 'ber', short: 'true' }), ['short'])
  assert.deepEqual(await found({ search: 'ber', date_to: '2020-01-01' }), [])
  const answer = await service.request('GET', '/operator/v1/orders/?search=ber&sort=total', {
    key: operators.keys.viewer,
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'sort'])
})

test('orders are filtered by hold, shortage and virtual mark', async () => {
  await operators.ok('POST', `/operator/v1/orders/${ids['filters']}/hold/`, { reason: 'Unpaid.' })
  assert.deepEqual(await found({ held: 'true' }), ['filters'])
  assert.deepEqual(await found({ held: 'true', client_id: String(weber.client_id) }), [])
  assert.deepEqual(await found({ held: 'false' }), ['short', 'referenced', 'plain'])
  assert.deepEqual(await found({ short: 'true' }), ['short'])
  assert.deepEqual(await found({ short: 'false', state: 'new' }), ['filters', 'referenced'])
  assert.deepEqual(await found({ virtual: 'true' }), [])
  assert.deepEqual(await found({ virtual: 'false', stock_id: '2' }), ['filters'])
})

test('orders are sorted by total, shipping date and last change, page by page', async () => {
  // 19.99 × 2, 2.50 × 9, and twice 10.00.
  assert.deepEqual(await pages({ sort: 'total', limit: '1' }), [['short'], ['filters'], ['referenced'], ['plain']])
  assert.deepEqual(await found({ sort: 'total', client_id: String(weber.client_id) }), ['referenced', 'plain'])
  for (const [name, day] of Object.entries({ plain: '2031-05-02', short: '2031-05-01', filters: '2031-05-02' }))
    await service.sql('update orders set order_shipping_date = $2 where order_id = $1', [ids[name], day])
  assert.deepEqual(await pages({ sort: 'ship_date', limit: '1' }), [['short'], ['plain'], ['filters']])
  assert.deepEqual(await found({ ship_from: '2031-05-02' }), ['plain', 'filters'])
  assert.deepEqual(await found({ ship_to: '2031-05-01' }), ['short'])
  assert.deepEqual(await found({ ship_to: '2031-05-02', sort: 'created' }), ['short', 'filters', 'plain'])
  for (const [name, at] of Object.entries({ plain: '2031-01-01', short: '2031-02-01', referenced: '2031-01-15' }))
    await service.sql('update orders set order_update_datetime = $2 where order_id = $1', [
      ids[name],
      `${at} 12:00 UTC`,
    ])
  assert.deepEqual(await pages({ sort: 'changed', limit: '2' }), [
    ['short', 'referenced'],
    ['plain', 'filters'], // The last one was held.
  ])
  assert.deepEqual(await found({ changed_since: '2031-01-10' }), ['short', 'referenced'])
  assert.deepEqual(await found({ changed_since: '2031-01-10', sort: 'total' }), ['short', 'referenced'])
})

test('a text that begins many references finds those that equal it, newest first', async () => {
  const order_id = await place(weber, { reference: 'MANY', city: 'Ulm' })
  ids['many'] = order_id
  await copyOrder(service, order_id, 520)
  assert.equal((await found({ search: 'many' })).length, 521)
  assert.deepEqual(await found({ search: 'man' }), [])
  assert.equal((await pages({ search: 'ulm', limit: '500' })).flat().length, 521)
})
