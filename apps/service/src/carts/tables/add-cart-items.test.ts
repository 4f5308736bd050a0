import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { BulkRow } from './add-cart-items.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators } from '../../testing/operators.ts'
import { disc } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'

let service: TestService
let me: TestClient
let shop: ReturnType<typeof shopper>
let cart_id: number

before(async () => {
  service = await startService()
  await addFixtures(service)
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale) values
      (20, 11, 1, 'A-1', '20', 'Part A-1', true), (21, 11, 2, 'A1', '21', 'Part A1', true),
      (22, 11, 1, 'B 2', '22', 'Old part', false), (23, 11, 2, 'B/2', '23', 'New part', true),
      (24, 11, 1, 'C-3', '24', 'One', true), (25, 11, 2, 'c-3', '25', 'Two', true),
      (26, 11, 1, 'C.3', '26', 'Three', false), (27, 11, 2, 'C 3', '27', 'Four', true),
      (28, 11, 1, 'D-4', '4006381333931', 'Shares the barcode of the disc', true),
      (29, 11, 1, '-', '29', 'Has no article', true), (30, 11, 1, 'E-5', 'X 99-A', 'Barcode with a space', true);
    insert into item_words select unnest(array[lower(item_vendor_code), lower(item_barcode)]), item_id from items
      where item_id between 20 and 29;
    insert into item_words values ('x', 30), ('99-a', 30);
    insert into prices select 1, item_id, 1 from items where item_id between 20 and 30;
  `)
})
beforeEach(async () => {
  me = await addClient(service)
  shop = shopper(service, me)
  cart_id = await shop.createCart()
})
after(() => service.close())

type Row = Record<string, unknown>

const send = (rows: Row[], query = 'stock_id=1', headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/bulk/?${query}`, { key: me.key, json: { rows }, headers })

async function put(rows: Row[], query?: string): Promise<BulkRow[]> {
  const answer = await send(rows, query)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.rows
}

const codesOf = (rows: readonly BulkRow[]): unknown[] =>
  rows.map(({ outcome, item, errors }) =>
    outcome === 'refused' ? errors?.map(({ code }) => code).join() : item?.item_id,
  )

interface Group {
  stock: { stock_id: number }
  contract: { contract_name: string }
  advertising: string
  cart_items: { item: { item_id: number }; quantity: number }[]
}

/** The lines of the cart as `stock contract budget: item × quantity`. */
async function lines(): Promise<string[]> {
  const groups: Group[] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  return groups.flatMap(({ stock, contract, advertising, cart_items }) =>
    cart_items.map(
      ({ item, quantity }) =>
        `${stock.stock_id} ${contract.contract_name} ${advertising}: ${item.item_id} × ${quantity}`,
    ),
  )
}

test('rows name their items by article, barcode and id; each has its item, price and availability, in the order of the request', async () => {
  const answer = await send([
    { article: ' bn 280/v ', quantity: 3 },
    { barcode: '4006381333948', quantity: 2, stock_id: 2 },
    { item_id: 4, quantity: 7 },
  ])
  const [first, second, third] = answer.body.data.rows as BulkRow[]
  const [available] = await service.sql(
    'select (on_hand - reserved)::int as discs from stock_levels where stock_id = 1 and item_id = 1',
  )
  assert.deepEqual(first, {
    row: 1,
    outcome: 'added',
    quantity: 3,
    item: disc,
    stock_id: 1,
    contract_id: me.contract_id,
    price: 10,
    available: available?.['discs'],
    short: false,
    back_order: false,
    cart_item_id: first?.cart_item_id,
    cart_quantity: 3,
  })
  assert.deepEqual([second?.item?.item_id, second?.stock_id, second?.price, second?.available], [2, 2, 2.5, 20])
  assert.deepEqual([third?.item?.item_id, third?.available, third?.short, third?.back_order], [4, 0, true, true])
  const { rows_added, rows_refused, ignored_columns } = answer.body.data
  assert.deepEqual(
    { rows_added, rows_refused, ignored_columns },
    { rows_added: 3, rows_refused: 0, ignored_columns: [] },
  )
  assert.deepEqual(await lines(), ['1 Standard : 1 × 3', '1 Standard : 4 × 7', '2 Standard : 2 × 2'])
  const item = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/${first?.cart_item_id}/`)
  assert.deepEqual([item.cart_item.quantity, item.cart_item.item], [3, disc])
  await service.checkInvariants()
})

test('an article as it is written comes before others with the same key; otherwise none of several is chosen', async () => {
  const rows = await put([
    { article: 'a-1', quantity: 1 },
    { article: 'A1', quantity: 1 },
    { article: 'A 1', quantity: 1 },
    { article: 'b2', quantity: 1 },
    { article: 'b/2', quantity: 1 },
    { article: 'C-3', quantity: 1 },
    { article: 'c.3', quantity: 1 },
    { article: 'c3', quantity: 1 },
    { article: '-', quantity: 1 },
    { article: '. / -', quantity: 1 },
  ])
  const ambiguous = 'article_ambiguous'
  assert.deepEqual(codesOf(rows), [
    20, 21, ambiguous, ambiguous, 23, ambiguous, 'item_not_on_sale', ambiguous, 'article_not_found', 'article_not_found',
  ]) // prettier-ignore
  const candidatesOf = (at: number): unknown[] | undefined => rows[at]?.candidates?.map(({ item_id }) => item_id)
  assert.deepEqual(
    [candidatesOf(2), candidatesOf(3), candidatesOf(7)],
    [
      [20, 21],
      [23, 22],
      [24, 25, 27],
    ],
  )
  assert.deepEqual(rows[2]?.errors, [
    {
      code: 'article_ambiguous',
      message: "Several items have the article 'A 1'.",
      field: 'article',
      details: { article: 'A 1' },
    },
  ])
  assert.deepEqual(rows[2]?.candidates?.[0], {
    item_id: 20,
    item_vendor_code: 'A-1',
    item_barcode: '20',
    item_title: 'Part A-1',
    brand: { brand_id: 1, brand_name: 'Bremsen Nord' },
  })
})

test('the brand of a row must be that of its item, however it is written, and chooses among items with one article', async () => {
  const rows = await put([
    { article: 'BN-280-V', brand: 'Bremsen Nord', quantity: 1 },
    { article: 'BN-280-V', brand: ' BREMSEN-NORD ', quantity: 1 },
    { article: 'BN-280-V', brand: 'Filterwerk', quantity: 1 },
    { article: 'BN-280-V', brand: 'Bosch', quantity: 1 },
    { item_id: 1, brand: 'Bosch', quantity: 1 },
    { barcode: '4006381333948', brand: 'Bosch', quantity: 1 },
    { article: 'A 1', brand: 'filterwerk', quantity: 1 },
    { article: 'c3', brand: 'Filterwerk', quantity: 1 },
    { article: 'nothing', brand: 'Bremsen Nord', quantity: 1 },
    { brand: 'Bremsen Nord', quantity: 1 },
    { article: 'BN-280-V', brand: ' ', quantity: 1 },
  ])
  const differs = 'brand_differs'
  assert.deepEqual(codesOf(rows), [
    1, 1, differs, differs, differs, differs, 21, 'article_ambiguous', 'article_not_found', 'field_missing', 1,
  ]) // prettier-ignore
  assert.deepEqual(
    rows
      .slice(2, 6)
      .map(({ errors: [error] = [], candidates }) => [
        error?.message,
        error?.field,
        error?.details,
        candidates?.map(({ item_id }) => item_id),
      ]),
    [
      [
        "No item of the brand 'Filterwerk' has the article 'BN-280-V'; items of other brands do.",
        'brand',
        { brand: 'Filterwerk', article: 'BN-280-V' },
        [1],
      ],
      [
        "No item of the brand 'Bosch' has the article 'BN-280-V'; items of other brands do.",
        'brand',
        { brand: 'Bosch', article: 'BN-280-V' },
        [1],
      ],
      [
        "No item of the brand 'Bosch' has the item_id '1'; items of other brands do.",
        'brand',
        { brand: 'Bosch', item_id: 1 },
        [1],
      ],
      [
        "No item of the brand 'Bosch' has the barcode '4006381333948'; items of other brands do.",
        'brand',
        { brand: 'Bosch', barcode: '4006381333948' },
        [2],
      ],
    ],
  )
  assert.equal(rows[8]?.errors?.[0]?.message, "No item has the article 'nothing' and the brand 'Bremsen Nord'.")
  assert.deepEqual(
    rows[7]?.candidates?.map(({ item_id }) => item_id),
    [25, 27, 24],
  )
})

test('a barcode is compared exactly, and where a row has several names all must match', async () => {
  const rows = await put([
    { barcode: '4006381333948', quantity: 1 },
    { barcode: '4006381333931', quantity: 1 },
    { barcode: '4006381333931', article: 'BN280V', quantity: 1 },
    { barcode: '4006381333931', item_id: 28, quantity: 1 },
    { barcode: '4006381333948', article: 'BN280V', quantity: 1 },
    { item_id: 1, article: 'FW-2', quantity: 1 },
    { barcode: 'filter', quantity: 1 },
    { barcode: 'X 99-A', quantity: 1 },
    { barcode: 'x 99-a', quantity: 1 },
  ])
  assert.deepEqual(codesOf(rows), [
    2, 'article_ambiguous', 1, 28, 'article_not_found', 'article_not_found', 'article_not_found', 30, 'article_not_found',
  ]) // prettier-ignore
  assert.deepEqual(rows[4]?.errors?.[0]?.message, "No item has the article 'BN280V' and the barcode '4006381333948'.")
})

test('bad rows are refused one by one with their reasons, and the good rows are added', async () => {
  const rows = await put(
    [
      { article: 'BN-280-V', quantity: 1 },
      { article: 'nothing', quantity: 1 },
      { item_id: unknownId, quantity: 1 },
      { item_id: 1, quantity: 1, stock_id: unknownId },
      { item_id: 1, quantity: 1, contract_id: unknownId },
      { item_id: 5, quantity: 1 },
      { item_id: 1, quantity: 1, stock_id: 3 },
      { item_id: 6, quantity: 1 },
      { item_id: 2, quantity: 0 },
      { item_id: 2, quantity: 1.5 },
      { item_id: 2, quantity: [1] },
      { item_id: 2 },
      { quantity: 1 },
      { item_id: 2, quantity: 1, colour: 'red' },
      { article: 4, quantity: 1 },
      { item_id: 2, quantity: 1 },
    ],
    'stock_id=1',
  )
  assert.deepEqual(codesOf(rows), [
    1, 'article_not_found', 'item_not_found', 'stock_not_found', 'contract_not_found', 'item_not_on_sale',
    'stock_not_serving', 'item_not_priced', 'field_invalid', 'field_invalid', 'field_invalid', 'field_missing',
    'field_missing', 'field_unknown', 'field_invalid', 2,
  ]) // prettier-ignore
  assert.deepEqual(
    rows.slice(1, 8).map(({ errors: [error] = [] }) => [error?.field, error?.details]),
    [
      ['article', { article: 'nothing' }],
      ['item_id', { item_id: unknownId }],
      ['stock_id', { stock_id: unknownId }],
      ['contract_id', { contract_id: unknownId }],
      ['item_id', { item_id: 5 }],
      ['stock_id', { stock_id: 3 }],
      ['item_id', { item_id: 6, contract_id: me.contract_id }],
    ],
  )
  assert.deepEqual(rows[9]?.errors, [
    {
      code: 'field_invalid',
      message:
        "Invalid value '1.5' for 'quantity': it must be a whole number from 1 to 1000000 without thousands separators; decimals may only be zeros, as in 2,00.",
      field: 'quantity',
      details: rows[9]?.errors?.[0]?.details,
    },
  ])
  assert.equal(rows[5]?.item?.item_vendor_code, 'BN-OLD')
  assert.deepEqual(await lines(), ['1 Standard : 1 × 1', '1 Standard : 2 × 1'])
  await service.checkInvariants()
})

test('a row without a stock takes the first preferred one that has all its pieces; if none has, the first, which is short', async () => {
  const operators = await makeOperators(service)
  const free = async (first: number, second: number): Promise<unknown> =>
    service.sql(
      `update stock_levels set on_hand = reserved + case stock_id when 1 then $1::bigint else $2 end
       where item_id = 1 and stock_id in (1, 2)`,
      [first, second],
    )
  const choose = async (quantity: number) => {
    const [row] = await put([{ item_id: 1, quantity }], 'dry_run=true')
    return [row?.stock_id, row?.available, row?.short]
  }
  await free(5, 8)
  assert.deepEqual(
    [await choose(5), await choose(6), await choose(8), await choose(9)],
    [
      [1, 5, false],
      [2, 8, false],
      [2, 8, false],
      [1, 5, true],
    ],
  )
  // The order in which an operator lists them is the order of preference, also for the client.
  const client = `/operator/v1/clients/${me.client_id}/`
  const changed = await operators.ok('PATCH', client, { stock_ids: [2, 1] })
  const ids = (stocks: { stock_id: number }[]): number[] => stocks.map(({ stock_id }) => stock_id)
  assert.deepEqual(ids(changed.stocks), [2, 1])
  assert.deepEqual(ids((await operators.ok('GET', client)).stocks), [2, 1])
  assert.deepEqual(ids(await shop.ok('GET', '/api/v1/stocks/')), [2, 1])
  const [event] = await service.sql('select data from events where client_id = $1 order by event_number desc limit 1', [
    me.client_id,
  ])
  assert.deepEqual(event?.['data'], { stock_ids: [2, 1], before: { stock_ids: [1, 2] } })
  assert.deepEqual(
    [await choose(5), await choose(9)],
    [
      [2, 8, false],
      [2, 8, true],
    ],
  )

  // Rows of one line are one quantity, with what the cart has; a row that names a stock keeps it.
  await free(10, 8)
  const rows = await put(
    [
      { item_id: 1, quantity: 5 },
      { item_id: 1, quantity: 4 },
      { item_id: 1, quantity: 1, stock_id: 2 },
      { item_id: 1, quantity: 8, for_advertising_budget: 'Spring' },
    ],
    '',
  )
  assert.deepEqual(
    rows.map(({ stock_id, short, merged_into }) => [stock_id, short, merged_into]),
    [
      [1, false, undefined],
      [1, false, 1],
      [2, false, undefined],
      [2, false, undefined],
    ],
  )
  const [more] = await put([{ item_id: 1, quantity: 2 }], '')
  assert.deepEqual([more?.stock_id, more?.cart_quantity, more?.short], [2, 3, false])
  assert.deepEqual(await lines(), ['1 Standard : 1 × 9', '2 Standard : 1 × 3', '2 Standard Spring: 1 × 8'])
  await free(10_000, 20)
})

test('a row without a stock names none for a client that no stock serves', async () => {
  await service.sql('delete from client_stocks where client_id = $1', [me.client_id])
  const [missing, unknown] = await put(
    [
      { item_id: 1, quantity: 1 },
      { article: 'nothing', quantity: 1 },
    ],
    '',
  )
  assert.deepEqual(
    [missing, unknown].map((row) => [
      row?.outcome,
      row?.stock_id,
      row?.errors?.map(({ code, field }) => [code, field]),
    ]),
    [
      ['refused', undefined, [['field_missing', 'stock_id']]],
      ['refused', undefined, [['article_not_found', 'article']]],
    ],
  )
  assert.deepEqual(await lines(), [])
})

test("another client's cart, contract and order are as unknown as those that do not exist", async () => {
  const other = await addClient(service)
  const [row] = await put([{ item_id: 1, quantity: 1, contract_id: other.contract_id }])
  assert.deepEqual(row?.errors?.[0]?.code, 'contract_not_found')
})

test('rows with the same item, stock, contract and budget become one line and say with which row', async () => {
  await shop.add(cart_id, { item_id: 2, quantity: 5 })
  const budget = { for_advertising_budget: 'Spring' }
  const rows = await put(
    [
      { article: 'FW-2', quantity: 1 },
      { item_id: 2, quantity: 2, stock_id: 2 },
      { barcode: '4006381333948', quantity: 3, contract_id: me.contract_id },
      { item_id: 2, quantity: 4, ...budget },
      { item_id: 2, quantity: 5, contract_id: me.limited_contract_id },
      { article: 'fw2', quantity: 6 },
      { article: 'FW-2', quantity: 7, for_advertising_budget: ' Spring ' },
    ],
    'stock_id=1',
  )
  assert.deepEqual(
    rows.map(({ quantity, cart_quantity, merged_into }) => [quantity, cart_quantity, merged_into]),
    [[1, 15, undefined], [2, 2, undefined], [3, 15, 1], [4, 11, undefined], [5, 5, undefined], [6, 15, 1], [7, 11, 4]],
  ) // prettier-ignore
  assert.equal(rows[0]?.cart_item_id, rows[5]?.cart_item_id)
  assert.deepEqual((await lines()).toSorted(), [
    '1 Limited : 2 × 5',
    '1 Standard : 2 × 15',
    '1 Standard Spring: 2 × 11',
    '2 Standard : 2 × 2',
  ])
  const [cart] = await service.sql('select line_count from carts where cart_id = $1', [cart_id])
  assert.equal(cart?.['line_count'], 4)
  await service.checkInvariants()
})

test('the query gives stock, contract and budget to the rows that name none', async () => {
  await put(
    [
      { item_id: 1, quantity: 1 },
      { item_id: 1, quantity: 2, stock_id: 1, contract_id: me.contract_id, for_advertising_budget: 'Own' },
    ],
    `stock_id=2&contract_id=${me.special_contract_id}&for_advertising_budget=All`,
  )
  assert.deepEqual((await lines()).toSorted(), ['1 Standard Own: 1 × 2', '2 Special All: 1 × 1'])
})

test('with mode=all one bad row refuses all, with the result of every row, and nothing changes', async () => {
  const good = { item_id: 1, quantity: 1 }
  for (const bad of [{ item_id: 5, quantity: 1 }, { article: 'BN-280-V' }, { item_id: 2, quantity: 1_000_001 }]) {
    const stored = await databaseDigest(service)
    const answer = await send([good, bad, good], 'stock_id=1&mode=all', { 'idempotency-key': 'all' })
    assert.equal(answer.status, 409, answer.text)
    const [error] = answer.body.errors
    assert.deepEqual([error?.code, error?.message], ['rows_refused', 'Nothing was added: 1 of 3 rows cannot be added.'])
    assert(error)
    const { rows, ...counts } = error.details as unknown as { rows: BulkRow[] }
    assert.deepEqual(counts, { rows_added: 0, rows_refused: 1 })
    assert.deepEqual(
      rows.map(({ outcome, price }) => [outcome, price]),
      [['possible', 10], ['refused', rows[1]?.price], ['possible', 10]],
    ) // prettier-ignore
    assert.deepEqual(await databaseDigest(service), stored)
  }
  const answer = await send([good, good], 'stock_id=1&mode=all', { 'idempotency-key': 'all' })
  assert.deepEqual([answer.status, answer.body.data.rows_added, await lines()], [200, 2, ['1 Standard : 1 × 2']])
})

test('a dry run shows prices and availability, and changes and stores nothing', async () => {
  await shop.add(cart_id, { item_id: 3, quantity: 2 })
  const stored = await databaseDigest(service)
  const rows = [
    { article: 'ЖK7', quantity: 2 },
    { article: 'ЖK7', quantity: 2 },
    { item_id: 1, quantity: 30, stock_id: 2 },
    { item_id: 5, quantity: 1 },
  ]
  const answer = await send(rows, 'stock_id=1&dry_run=true&mode=all', { 'idempotency-key': 'dry' })
  assert.deepEqual(
    (answer.body.data.rows as BulkRow[]).map((row) => [
      row.outcome,
      row.price,
      row.available,
      row.short,
      row.merged_into,
    ]),
    [
      ['possible', 0.3333, 5, true, undefined],
      ['possible', 0.3333, 5, true, 1],
      ['possible', 10, 20, true, undefined],
      ['refused', 8, 0, undefined, undefined],
    ],
  )
  assert.deepEqual([answer.body.data.rows_added, answer.body.data.rows_refused], [0, 1])
  assert.deepEqual(await databaseDigest(service), stored)
  const [alone] = await put([{ article: 'ЖK7', quantity: 3 }], 'stock_id=1&dry_run=true')
  assert.equal(alone?.short, false)
})

test('a cart takes rows until it has 1,000 lines, and a line until it has 1,000,000 pieces; the rows beyond are refused', async () => {
  await shop.add(cart_id, { item_id: 2, quantity: 999_990 })
  const numbered = (count: number, more: Row = {}): Row[] =>
    Array.from({ length: count }, (_, n) => ({ item_id: 1, quantity: 1, for_advertising_budget: `B${n}`, ...more }))
  assert.equal((await send(numbered(997))).body.data.rows_added, 997)
  const rows = await put([
    { item_id: 2, quantity: 6 },
    { item_id: 2, quantity: 5 },
    { item_id: 1, quantity: 999_999, for_advertising_budget: 'B0' },
    { item_id: 1, quantity: 600_000 },
    { item_id: 1, quantity: 600_000 },
    { item_id: 3, quantity: 1 },
    { item_id: 4, quantity: 1 },
    { item_id: 20, quantity: 1 },
    { item_id: 3, quantity: 1 },
    { item_id: 20, quantity: 1 },
    { item_id: 1, quantity: 1, for_advertising_budget: 'B1' },
  ])
  const [full, exceeded] = ['cart_full', 'line_quantity_exceeded']
  assert.deepEqual(codesOf(rows), [exceeded, exceeded, 1, exceeded, exceeded, 3, 4, full, 3, full, 1])
  assert.deepEqual(rows[1]?.errors?.[0]?.details, { item_id: 2, in_cart: 999_990, requested: 11, limit: 1_000_000 })
  assert.deepEqual(rows[7]?.errors?.[0]?.details, { cart_id, limit: 1000 })
  assert.equal((await lines()).length, 1000)
  await service.checkInvariants()
})

test('a retry gets the first answer byte for byte, whatever has changed since; other rows or another query are refused', async () => {
  const key = { 'idempotency-key': 'once' }
  const rows = [
    { article: 'FW-2', quantity: 2 },
    { article: 'c3', quantity: 1 },
    { item_id: 5, quantity: 1 },
    { quantity: 1 },
  ]
  const first = await send(rows, 'stock_id=1', key)
  assert.equal(first.status, 200, first.text)
  await service.sql('update prices set price = 99 where item_id = 2 and price_list_id = 1')
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  assert.equal((await send(rows, 'stock_id=1', key)).text, first.text)
  for (const [other, query] of [
    [rows.slice(1), 'stock_id=1'],
    [rows, 'stock_id=2'],
    [rows, 'stock_id=1&mode=all'],
  ] as const) {
    const answer = await send(other, query, key)
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'idempotency_key_used'])
  }
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  assert.equal((await send(rows, 'stock_id=1', key)).text, first.text)
  await service.sql('update prices set price = 2.5 where item_id = 2 and price_list_id = 1')
  await service.checkInvariants()
})

test('with mode=all a retry gets the first answer even if a row could not be added any more', async () => {
  const [rows, query, key] = [
    [{ item_id: 2, quantity: 2 }],
    'stock_id=1&mode=all',
    { 'idempotency-key': 'all' },
  ] as const
  const first = await send([...rows], query, key)
  assert.equal(first.status, 200, first.text)
  await service.sql('update items set on_sale = false where item_id = 2')
  assert.equal((await send([...rows], query, key)).text, first.text)
  assert.equal((await send([...rows], query)).body.errors[0]?.code, 'rows_refused')
  await service.sql('update items set on_sale = true where item_id = 2')
  assert.deepEqual(await lines(), ['1 Standard : 2 × 2'])
})

test('1,000 rows are accepted and 1,001 refused; so are no rows, other bodies and more than 256 KiB', async () => {
  const rows = Array.from({ length: 1001 }, (_, n) => ({ item_id: 1 + (n % 4), quantity: 1 }))
  assert.equal((await put(rows.slice(0, 1000))).length, 1000)
  const stored = await databaseDigest(service)
  const path = `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`
  for (const [status, code, body] of [
    [413, 'too_many_rows', JSON.stringify({ rows })],
    [413, 'body_too_large', JSON.stringify(rows) + ' '.repeat(256 * 1024)],
    [400, 'field_missing', '{"rows":[]}'],
    [400, 'field_missing', '[]'],
    [400, 'field_missing', ''],
    [400, 'malformed_request', '{}'],
    [400, 'malformed_request', '{"rows":[],"mode":"all"}'],
    [400, 'malformed_request', '{"rows":{}}'],
    [400, 'malformed_request', 'null'],
    [400, 'malformed_request', '{"rows":['],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.request('PUT', path, { key: me.key, body, headers })
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [status, code], body.slice(0, 50))
  }
  const form = await service.request('PUT', path, { key: me.key, form: { item_id: 1 } })
  assert.deepEqual([form.status, form.body.errors[0]?.code], [415, 'unsupported_media_type'])
  assert.deepEqual(await databaseDigest(service), stored)
})
