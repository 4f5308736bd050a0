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

test('search finds an article and its beginning, however it is spaced and punctuated', async () => {
  for (const search of ['bn280', 'BN 280 v', 'bn.280/V', 'b', 'BN\u2013280'])
    assert.deepEqual(await find({ search }), [1], search)
  assert.deepEqual(await find({ search: 'fw2' }), [2, 4])
  assert.deepEqual(await find({ search: 'FW 2/10' }), [4])
  assert.deepEqual(await find({ search: 'жk' }), [3])
  assert.deepEqual(await find({ search: 'fw2', stock_id: '2' }), [2])
  assert.deepEqual(await find({ search: 'fw2', brand_id: '1' }), [])
  assert.deepEqual(await find({ search: 'fw2 box' }), [])
  for (const search of ['-', '. / -', 'n280', 'bn280vx']) assert.deepEqual(await find({ search }), [], search)
})

test('articles are looked up without case, spaces and punctuation, each with the article that was requested', async () => {
  const lookUp = async (articles: string, more: Record<string, string> = {}): Promise<unknown[]> => {
    const answer = await service.request(
      'GET',
      `/api/v1/items/?${new URLSearchParams({ articles, ...more }).toString()}`,
      {
        key: me.key,
      },
    )
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.map((item: { item_id: number; matched_article: string }) => [
      item.item_id,
      item.matched_article,
    ])
  }
  const all = [
    [1, 'bn 280.v'],
    [3, 'Жk7'],
    [4, 'fw-210'],
  ]
  assert.deepEqual(await lookUp('fw-210,Жk7,bn 280.v,BN-280-V,nothing,-'), all)
  assert.deepEqual(await lookUp('bn-280'), [], 'the beginning is no match')
  assert.deepEqual(await lookUp('BN-OLD,ЖK-8'), [], 'not on sale, not priced')
  assert.deepEqual(await lookUp('fw2,fw210', { search: 'box' }), [[4, 'fw210']])
  assert.deepEqual(await lookUp('fw2,fw210', { stock_id: '2' }), [[2, 'fw2']])
  assert.deepEqual((await walk({ articles: 'fw210,жk7,bn280v', limit: '1' })).seen, [1, 3, 4])
  assert.equal(
    'matched_article' in (await service.request('GET', '/api/v1/items/1/', { key: me.key })).body.data,
    false,
  )
})

test('up to 100 articles can be looked up at once; an empty one among them is refused', async () => {
  const send = async (articles: string) =>
    service.request('GET', `/api/v1/items/?articles=${articles}`, { key: me.key })
  const hundred = Array.from({ length: 100 }, (_, n) => `A${n}`)
  assert.equal((await send(hundred.join())).status, 200)
  for (const articles of [[...hundred, 'A'].join(), 'A,,B', ',', 'A,%20', 'x'.repeat(4001)]) {
    const answer = await send(articles)
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'articles'], answer.text)
  }
})

test('brand and stock filter the list, alone and with a search; a stock that does not serve the client gives nothing', async () => {
  assert.deepEqual(await find({ brand_id: '2' }), [2, 3, 4])
  assert.deepEqual(await find({ stock_id: '2' }), [1, 2])
  assert.deepEqual(await find({ stock_id: '2', search: 'filter' }), [2])
  assert.deepEqual(await find({ stock_id: '2', brand_id: '1' }), [1])
  assert.deepEqual(await find({ stock_id: '3' }), [])
})

test('a brand is named as it is written in a list, and is never ignored', async () => {
  for (const brand of ['Filterwerk', 'FILTER-WERK', ' filter werk ']) assert.deepEqual(await find({ brand }), [2, 3, 4])
  assert.deepEqual(await find({ brand: 'bremsennord', brand_id: '1' }), [1])
  assert.deepEqual(await find({ articles: 'bn280v,fw2', brand: 'Filterwerk' }), [2])
  assert.deepEqual(await find({ search: 'filter', brand: 'Bremsen Nord' }), [])
  assert.deepEqual(await find({ brand: 'Filterwerk', stock_id: '2' }), [2])
  for (const brand of ['Filter', '-']) assert.deepEqual(await find({ brand }), [])
  assert.deepEqual(await find({ brand: 'Filterwerk', brand_id: '1' }), [])
  // Two brands are written alike; items of both are found, in the order of their ids.
  await addBrand()
  assert.deepEqual(await find({ brand: 'Filterwerk' }), [2, 3, 4])
  assert.deepEqual((await walk({ brand: 'Filterwerk', limit: '1' })).seen, [2, 3, 4])
  assert.deepEqual(await find({ brand_id: '3' }), [3])
})

test('brands are listed page by page, those without items left out', async () => {
  await addBrand()
  await service.sql(`insert into brands (brand_id, brand_name) values (4, 'Nobody')`)
  const list = async (query: string) =>
    (await service.request('GET', `/api/v1/brands/${query}`, { key: me.key })).body as {
      data: unknown[]
      paging: { next_cursor: string | null }
    }
  const brands = [
    { brand_id: 1, brand_name: 'Bremsen Nord' },
    { brand_id: 2, brand_name: 'Filterwerk' },
    { brand_id: 3, brand_name: 'FILTER WERK' },
  ]
  assert.deepEqual((await list('')).data, brands)
  const first = await list('?limit=2')
  assert.deepEqual(first.data, brands.slice(0, 2))
  assert.deepEqual((await list(`?limit=2&cursor=${first.paging.next_cursor}`)).data, brands.slice(2))
  assert.deepEqual((await list('?brand=filter/werk')).data, brands.slice(1))
  for (const none of ['nobody', 'filter', '-']) assert.deepEqual((await list(`?brand=${none}`)).data, [])
})

test('a search in a large catalogue continues from page to page, including short pages, and finds each item once', async () => {
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'L-' || n, 'L' || n, 'Large part' from generate_series(100001, 107000) n;
    insert into prices select 1, n, 1 from generate_series(100001, 107000) n where n % 1000 < 3;
    insert into item_words select 'large', n from generate_series(100001, 107000) n;
    insert into item_words select 'part', n from generate_series(100001, 107000) n;
  `)
  const { seen, pages } = await walk({ search: 'large part' })
  assert.deepEqual(
    seen,
    Array.from({ length: 7000 }, (_, i) => 100_001 + i).filter((n) => n % 1000 < 3),
  )
  assert(pages < 12, String(pages))
})

test('a search by word and by the beginning of an article finds each item once, over all pages', async () => {
  // 7,000 items have the word 'l10' and 100 of them, and 100 others, an article that begins with it.
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'L/10-' || n, 'M' || n, 'Other part' from generate_series(100000, 190000, 900) n
    where n not between 100001 and 107000;
    update items set item_vendor_code = 'L 10' || item_id where item_id between 100001 and 107000 and item_id % 70 = 0;
    update items set item_vendor_code = 'Z' || item_id where item_id between 100001 and 107000 and item_id % 70 <> 0;
    insert into prices select 1, item_id, 1 from items where item_vendor_code like 'L%' on conflict do nothing;
    insert into item_words select 'l10', n from generate_series(100001, 107000) n;
  `)
  const expected = await service.sql(
    `select i.item_id::int from items i join prices p using (item_id)
     where price_list_id = 1 and (item_id between 100001 and 107000 or item_vendor_code like 'L%') order by 1`,
  )
  assert(expected.length > 200)
  for (const limit of ['5', '70', '500'])
    assert.deepEqual(
      (await walk({ search: 'L10', limit })).seen,
      expected.map(({ item_id }) => item_id),
    )
})

test('a beginning that more than 2,000 articles share finds nothing', async () => {
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'QX-' || n, 'Q' || n, 'Common beginning' from generate_series(300001, 302001) n;
    insert into prices select 1, n, 1 from generate_series(300001, 302001) n;
  `)
  assert.deepEqual(await find({ search: 'qx' }), [])
  assert.deepEqual(await find({ search: 'qx-302' }), [302_000, 302_001])
  await service.sql(`update items set item_vendor_code = 'Y' where item_id = 300001`)
  assert.equal((await walk({ search: 'qx', limit: '500' })).seen.length, 2000)
})

/** A second brand of the same name, written otherwise, has item 3. */
const addBrand = () =>
  service.sql(`insert into brands (brand_id, brand_name) values (3, 'FILTER WERK') on conflict do nothing;
    update items set brand_id = 3 where item_id = 3`)

/** All items of a list, page by page. */
async function walk(query: Record<string, string>): Promise<{ seen: number[]; pages: number }> {
  const seen: number[] = []
  let cursor: string | null = ''
  let pages = 0
  while (cursor !== null) {
    const next: string = new URLSearchParams({ limit: '5', ...query, ...(cursor === '' ? {} : { cursor }) }).toString()
    const { body } = await service.request('GET', `/api/v1/items/?${next}`, { key: me.key })
    seen.push(...body.data.map(({ item_id }: { item_id: number }) => item_id))
    cursor = body.paging?.next_cursor ?? null
    pages++
  }
  return { seen, pages }
}
