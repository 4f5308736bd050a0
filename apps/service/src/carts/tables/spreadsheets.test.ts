import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { BulkRow } from './add-cart-items.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let me: TestClient
let cart_id: number

before(async () => {
  service = await startService()
  await addFixtures(service)
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    values (40, 11, 1, 'GRÖSSE/40', '40', 'Umlauts');
    insert into prices values (1, 40, 1)`)
})
beforeEach(async () => {
  me = await addClient(service)
  cart_id = await shopper(service, me).createCart()
})
after(() => service.close())

const send = (body: string | Buffer, type = 'text/csv', query = 'stock_id=1'): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/bulk/?${query}`, {
    key: me.key,
    body,
    headers: { 'content-type': type },
  })

/** Each row as `line: item × quantity`, or `line: codes`. */
async function read(...sent: Parameters<typeof send>): Promise<string[]> {
  const answer = await send(...sent)
  assert.equal(answer.status, 200, answer.text)
  return (answer.body.data.rows as BulkRow[]).map(
    ({ row, item, quantity, errors }) =>
      `${row}: ${errors?.map(({ code }) => code).join() ?? `${item?.item_id} × ${quantity}`}`,
  )
}

async function refused(...sent: Parameters<typeof send>): Promise<string[]> {
  const stored = await databaseDigest(service)
  const answer = await send(...sent)
  assert.equal(answer.status, 400, answer.text)
  assert.deepEqual(await databaseDigest(service), stored)
  return answer.body.errors.map(({ message }) => message)
}

const utf16le = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le')
const utf16be = (text: string): Buffer => utf16le(text).swap16()
const windows1252 = (text: string): Buffer => Buffer.from(text, 'latin1')

const german = 'Artikelnummer;Bezeichnung;Menge\r\nGrösse 40;"Bremse; vorn, 13"" Zoll";2,00\r\nBN-280-V;Scheibe;3\r\n'
const germanRows = ['2: 40 × 2', '3: 1 × 3']

test('a file from a spreadsheet is read in UTF-8 with and without a byte order mark, in UTF-16, and in the charset that is named', async () => {
  for (const [name, body, type] of [
    ['UTF-8', german, 'text/csv'],
    ['UTF-8, named', german, 'text/csv; charset=UTF-8'],
    ['UTF-8 with BOM', `\uFEFF${german}`, 'text/csv'],
    ['UTF-8 with BOM, named differently', `\uFEFF${german}`, 'text/csv; charset=windows-1252'],
    ['UTF-16LE', utf16le(german), 'text/csv'],
    ['UTF-16BE', utf16be(german), 'text/csv; charset=utf-16'],
    ['UTF-16LE with tabs', utf16le(german.replaceAll(';', '\t')), 'text/tab-separated-values'],
    ['Windows-1252', windows1252(german), 'text/csv; charset=windows-1252'],
    ['Windows-1252 as browsers call it', windows1252(german), 'Text/CSV ; Charset="ISO-8859-1"'],
  ] as const)
    assert.deepEqual(await read(body, type), germanRows, name)
})

test('a file in an encoding that is not named, or not known, is refused with a sentence that says what to do', async () => {
  const whatToDo =
    '(save the file as "CSV UTF-8", or name its encoding in the Content-Type, as in text/csv; charset=windows-1252).'
  for (const [body, type, reason] of [
    [windows1252(german), 'text/csv', 'the body is not UTF-8'],
    [windows1252(german), 'text/csv; charset=utf-8', 'the body is not UTF-8'],
    [german, 'text/csv; charset=klingon', "the charset 'klingon' is unknown"],
    [german, 'text/csv; charset=', "the charset '' is unknown"],
    [Buffer.from('article;quantity\nBN-280-V;1', 'utf16le'), 'text/csv', 'the body has NUL characters, as UTF-16 does'],
    [Buffer.concat([utf16le('a;1'), Buffer.from([0x00])]), 'text/csv', 'the body is not UTF-16LE'],
  ] as const)
    assert.deepEqual(await refused(body, type), [`The request could not be parsed: ${reason} ${whatToDo}`])
})

test('a column of brands is read under its names, and a row with another brand is refused and not added', async () => {
  for (const name of ['Marke', 'brand', 'Бренд', 'BRAND NAME', 'Hersteller']) {
    const body = `Artikelnummer;${name};Menge\nBN-280-V;Bosch;2\nBN-280-V;bremsen nord;3\nBN-280-V;;1\n`
    assert.deepEqual(
      await read(body, 'text/csv', 'stock_id=1&dry_run=true'),
      ['2: brand_differs', '3: 1 × 3', '4: 1 × 1'],
      name,
    )
  }
  const answer = await send('Artikelnummer;Marke;Menge\nBN-280-V;Bosch;2\n')
  assert.deepEqual([answer.body.data.rows_added, answer.body.data.ignored_columns], [0, []])
  assert.deepEqual(await shopper(service, me).ok('GET', `/api/v1/carts/${cart_id}/items/`), [])
})

test('semicolons, commas and tabs separate, quotes protect, and any end of line is understood', async () => {
  for (const [body, type] of [
    ['article;quantity\nBN-280-V;2\nFW-2;3\n', 'text/csv'],
    ['article,quantity\r\nBN-280-V,2\r\nFW-2,3', 'text/csv'],
    ['article\tquantity\rBN-280-V\t2\rFW-2\t3\r', 'text/csv'],
    ['article\tquantity\nBN-280-V\t2\nFW-2\t3', 'text/tab-separated-values'],
    ['"article","quantity"\n"BN-280-V","2"\n"FW-2","3"\n', 'text/csv'],
    ['article;quantity;\nBN-280-V;2;\nFW-2;3;;;\n;;\n\n', 'text/csv'],
  ] as const)
    assert.deepEqual(await read(body, type), ['2: 1 × 2', '3: 2 × 3'], body)
  assert.deepEqual(await read('sep=,\narticle,quantity\nBN-280-V,2\n'), ['3: 1 × 2'])
  assert.deepEqual(await read('quantity,article\n2,"BN\n280\nV"\n3,FW-2'), ['2: field_invalid', '5: 2 × 3'])
})

test('columns are found by common names in any order and language; others are ignored and listed', async () => {
  for (const names of [
    'SKU;Qty',
    'Part Number;PCS',
    'item_vendor_code;quantity',
    'Artikel-Nr.;Menge',
    'Артикул;Кол-во',
  ])
    assert.deepEqual(await read(`${names}\nBN-280-V;2`), ['2: 1 × 2'], names)
  for (const name of ['EAN', 'GTIN', 'Barcode', 'Штрихкод'])
    assert.deepEqual(await read(`Menge;${name}\n2;4006381333931`), ['2: 1 × 2'], name)
  assert.deepEqual(await read('item_id;qty\n2;7'), ['2: 2 × 7'])
  const answer = await send(
    `Titel;code;Preis;qty;Warehouse;Budget;Contract\nDisc;BN-280-V;10,00;2;2;Spring;${me.special_contract_id}`,
    'text/csv',
    '',
  )
  const { ignored_columns, rows } = answer.body.data
  assert.deepEqual(ignored_columns, ['Titel', 'Preis'])
  assert.deepEqual([rows[0].stock_id, rows[0].contract_id, rows[0].price], [2, me.special_contract_id, 9])
  const [group] = await shopper(service, me).ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual([group.stock.stock_id, group.advertising], [1, ''])
})

test('without names the columns are article, quantity, stock, budget and contract', async () => {
  assert.deepEqual(await read('BN-280-V;2\nFW-2;3'), ['1: 1 × 2', '2: 2 × 3'])
  const { body } = await send(`FW-2;1;2;Spring;${me.limited_contract_id}`)
  assert.deepEqual([body.data.rows[0].stock_id, body.data.rows[0].contract_id], [2, me.limited_contract_id])
  assert.deepEqual(await read('BN-280-V\nBN-280-V;2\nBN-280-V;2;1;;;Extra'), [
    '1: field_missing',
    '2: 1 × 2',
    '3: row_malformed',
  ])
})

test('a quantity may have decimals that are zero; any other is refused with a sentence', async () => {
  assert.deepEqual(await read('article;qty\nFW-2;2,0\nFW-2;2.0\nFW-2;2,00\nFW-2; 2 \n'), [
    '2: 2 × 2',
    '3: 2 × 2',
    '4: 2 × 2',
    '5: 2 × 2',
  ])
  const bad = ['2,5', '1.000', '1,000', '2,', '0', '-1', '1e3', 'two', '1 000', '1000001']
  const answer = await send(`article;qty\n${bad.map((quantity) => `FW-2;${quantity}`).join('\n')}`)
  for (const [n, { errors: [error] = [] }] of (answer.body.data.rows as BulkRow[]).entries())
    assert.equal(
      error?.message,
      `Invalid value '${bad[n]}' for 'quantity': it must be a whole number from 1 to 1000000 without thousands separators; decimals may only be zeros, as in 2,00.`,
    )
})

test('a number that a spreadsheet has shortened is refused with a sentence that says what to do', async () => {
  const { body } = await send('ean;qty\n4,00638E+12;1\n4.00638133393E+12;1\n4006381333931;1')
  const [first, second, third] = body.data.rows as BulkRow[]
  for (const row of [first, second]) assert.match(row?.errors?.[0]?.message ?? '', /format the column as text/)
  assert.equal(third?.item?.item_id, 1)
})

test('a file whose columns are missing, repeated or not there is refused as a whole', async () => {
  assert.deepEqual(await refused('article;Mng.\nBN-280-V;2'), [
    'The request could not be parsed: the first line names no column for the quantity, such as quantity, qty, pcs, pieces.',
  ])
  assert.deepEqual(await refused('qty;title\n2;Disc'), [
    'The request could not be parsed: the first line names no column for the article, such as article, articleno, articlenumber, articlecode, barcode, ean, ean13, gtin, item_id, item.',
  ])
  assert.deepEqual(await refused('sku;article;qty\nA;B;1'), ["The field 'article' was sent more than once."])
  for (const body of ['', '\n\n', 'article;quantity\n', '\uFEFF'])
    assert.deepEqual(await refused(body), ["The field 'rows' is required and must not be empty."])
})

test('a bad line is refused alone, with its line of the file', async () => {
  assert.deepEqual(await read('article;qty\nBN"280;1\nBN-280-V;1\n"FW-2;1\nFW-2;2\n'), [
    '2: row_malformed',
    '3: 1 × 1',
    '4: row_malformed',
    '5: 2 × 2',
  ])
  const { body } = await send('article;qty\n"BN-280-V;1\nFW-2;2')
  assert.equal(body.data.rows[0].errors[0].message, 'The row could not be parsed: a quoted field does not end.')
})

test('1,000 lines are read and 1,001 refused, with and without names', async () => {
  const lines = (count: number): string => 'FW-2;1\n'.repeat(count)
  assert.equal((await read(lines(1000))).length, 1000)
  assert.equal((await read(`article;qty\n${lines(1000)}`)).length, 1000)
  for (const body of [lines(1001), `article;qty\n${lines(1001)}`, '"a\n'.repeat(80_000)]) {
    const answer = await send(body)
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [413, 'too_many_rows'])
  }
})
