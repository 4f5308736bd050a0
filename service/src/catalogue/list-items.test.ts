import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
})
after(() => service.close())

async function find(query: Record<string, string>): Promise<number[]> {
  const answer = await service.request('GET', `/api/v1/items/?${new URLSearchParams(query).toString()}`, {
    key: me.key,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.map(({ item_id }: { item_id: number }) => item_id)
}

test('the list shows items that the contract prices and that are on sale', async () => {
  assert.deepEqual(await find({}), [1, 2, 3, 4])
  assert.deepEqual(await find({ contract_id: String(me.special_contract_id) }), [1, 2, 6])
})

test('search takes an article, a barcode or words of the title, in any case, and all words must fit', async () => {
  assert.deepEqual(await find({ search: 'bn-280-v' }), [1])
  assert.deepEqual(await find({ search: 'ЖK-7' }), [3])
  assert.deepEqual(await find({ search: '4006381333948' }), [2])
  assert.deepEqual(await find({ search: 'OIL filter' }), [2, 4])
  assert.deepEqual(await find({ search: 'filter 10  oil' }), [4])
  assert.deepEqual(await find({ search: 'spin-on' }), [4])
  assert.deepEqual(await find({ search: 'spin, (filter)' }), [4])
  assert.deepEqual(await find({ search: 'filter disc' }), [])
  assert.deepEqual(await find({ search: '...' }), [])
  assert.deepEqual(await find({ search: 'nothing' }), [])
})

test('brand and stock filter the list, alone and with a search; a stock that does not serve the client gives nothing', async () => {
  assert.deepEqual(await find({ brand_id: '2' }), [2, 3, 4])
  assert.deepEqual(await find({ stock_id: '2' }), [1, 2])
  assert.deepEqual(await find({ stock_id: '2', search: 'filter' }), [2])
  assert.deepEqual(await find({ stock_id: '2', brand_id: '1' }), [1])
  assert.deepEqual(await find({ stock_id: '3' }), [])
})

test('a search in a large catalogue continues from page to page, including short pages, and finds each item once', async () => {
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'L-' || n, 'L' || n, 'Large part' from generate_series(100001, 107000) n;
    insert into prices select 1, n, 1 from generate_series(100001, 107000) n where n % 1000 < 3;
    insert into item_words select 'large', n from generate_series(100001, 107000) n;
    insert into item_words select 'part', n from generate_series(100001, 107000) n;
  `)
  const seen: number[] = []
  let cursor: string | null = ''
  let pages = 0
  while (cursor !== null) {
    const query: string = new URLSearchParams({
      search: 'large part',
      limit: '5',
      ...(cursor === '' ? {} : { cursor }),
    }).toString()
    const { body } = await service.request('GET', `/api/v1/items/?${query}`, { key: me.key })
    seen.push(...body.data.map(({ item_id }: { item_id: number }) => item_id))
    cursor = body.paging.next_cursor
    pages++
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 7000 }, (_, i) => 100_001 + i).filter((n) => n % 1000 < 3),
  )
  assert(pages < 12, String(pages))
})
