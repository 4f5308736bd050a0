import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

async function found(query: string): Promise<number[]> {
  const all: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const answer = await service.request('GET', `/operator/v1/items/?limit=2&${query}&cursor=${cursor}`, {
      key: operators.keys.viewer,
    })
    assert.equal(answer.status, 200, answer.text)
    all.push(...answer.body.data.map(({ item_id }: { item_id: number }) => item_id))
    cursor = answer.body.paging?.next_cursor ?? null
  }
  return all
}

test('items are found by text, article, barcode, brand and missing price, on sale or not', async () => {
  const expected = {
    '': [1, 2, 3, 4, 5, 6],
    'search=brake%20front': [1, 5],
    'search=fw2': [2, 4],
    'search=4006381333986': [6],
    'search=oil&brand_id=1': [],
    'brand_id=2': [2, 3, 4, 6],
    'missing_price=1': [6],
    'missing_price=2': [3, 4, 5],
    'missing_price=2&search=front': [5],
    'missing_price=2&brand_id=2': [3, 4],
    'short=true': [],
    'short=false&brand_id=1': [1, 5],
  }
  for (const [query, ids] of Object.entries(expected)) assert.deepEqual(await found(query), ids, query)
})

test('an item is short while a stock has more of it reserved than on hand', async () => {
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 4, quantity: 2 }) // None is on hand: a back-order.
  await shop.order(cart_id)
  for (const query of ['short=true', 'short=true&brand_id=2', 'short=true&search=oil'])
    assert.deepEqual(await found(query), [4], query)
  assert.deepEqual(await found('short=true&brand_id=1'), [])
  await operators.ok('PUT', '/operator/v1/stock-levels/1/4/', { on_hand: 2 })
  assert.deepEqual(await found('short=true'), [])
})
