/** Files as spreadsheets save them: what is detected, what is refused with a hint, and what a row may name. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decimalOf, guessedEncoding } from './file-format.ts'
import { readCsvRecord } from '../input/csv.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addFixtures } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const send = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('POST', `/operator/v1/imports/${path}`, {
    key: operators.keys.cataloguer,
    body,
    headers: { 'content-type': 'text/csv', ...headers },
  })

const price = async (item_id: number): Promise<unknown> =>
  (
    await service.sql('select price::float as price from prices where price_list_id = 1 and item_id = $1', [item_id])
  )[0]?.['price']

const utf16 = (text: string, littleEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\u{FEFF}${text}`, 'utf16le')
  return littleEndian ? bytes : bytes.swap16()
}

/** One byte a character, as Windows saves Western and Cyrillic text. */
const cp1251 = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.codePointAt(0) ?? 0
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code
    }),
  )

const header = 'item_id;item_vendor_code;item_barcode;item_title;brand_name;product_id'
const title = async (item_id: number): Promise<unknown> =>
  (await service.sql('select item_title from items where item_id = $1', [item_id]))[0]?.['item_title']

test('the encoding and the separator of a file are detected, and the answer says which', async () => {
  const western = `${header}\r\n701;GR-1;1;Übergröße für Käfer;Größe;70\r\n`
  const cyrillic = `${header}\r\n702;GR-2;2;Фильтр масляный;Завод;70\r\n`
  const cases: [string, Buffer, string, string, number][] = [
    ['UTF-8', Buffer.from(western), 'utf-8', 'Übergröße für Käfer', 701],
    ['UTF-8 with a mark', Buffer.from(`\u{FEFF}${western}`), 'utf-8', 'Übergröße für Käfer', 701],
    ['UTF-16LE', utf16(cyrillic, true), 'utf-16le', 'Фильтр масляный', 702],
    ['UTF-16BE', utf16(cyrillic, false), 'utf-16be', 'Фильтр масляный', 702],
    ['Windows-1252', Buffer.from(western, 'latin1'), 'windows-1252', 'Übergröße für Käfer', 701],
    ['Windows-1251', cp1251(cyrillic), 'windows-1251', 'Фильтр масляный', 702],
  ]
  for (const [name, body, encoding, expected, item_id] of cases) {
    await service.sql("update items set item_title = 'other' where item_id = $1", [item_id])
    const { status, text, body: answer } = await send('items', body)
    assert.equal(status, 200, `${name}: ${text}`)
    assert.deepEqual(answer.data.file_format, { encoding, separator: ';', decimal: 'point' }, name)
    assert.equal(await title(item_id), expected, name)
  }
})

test('what the sender says comes before what would be detected', async () => {
  const cyrillic = cp1251(`${header}\n703;GR-3;3;Ф;З;70\n`) // Two letters on their own look Western.
  assert.equal((await send('items', cyrillic)).body.data.file_format.encoding, 'windows-1252')
  assert.equal((await send('items?encoding=windows-1251', cyrillic)).body.data.rows_changed, 1)
  assert.equal(await title(703), 'Ф')
  const charset = { 'content-type': 'text/csv; charset=windows-1251' }
  assert.equal((await send('items', cyrillic, charset)).body.data.file_format.encoding, 'windows-1251')
  const unknown = await send('items', cyrillic, { 'content-type': 'text/csv; charset=klingon' })
  assert.deepEqual([unknown.status, unknown.body.errors[0]?.code], [400, 'malformed_request'])
  const tabs = 'price_list_id\titem_id\tprice\n1\t1\t12\n'
  assert.equal((await send('prices?separator=tab', tabs)).body.data.file_format.separator, '\t')
  assert.equal((await send('prices?separator=semicolon', tabs)).body.errors[0]?.code, 'field_unknown')
})

test('a decimal comma is detected; a comma that may separate thousands is refused with a hint', async () => {
  const answer = await send('prices', 'price_list_id;item_id;price\r\n1;1;22,50\r\n1;2;1,125\r\n')
  assert.deepEqual(answer.body.data.file_format, { encoding: 'utf-8', separator: ';', decimal: 'comma' })
  assert.deepEqual([await price(1), await price(2)], [22.5, 1.125])
  const unclear = await send('prices', 'price_list_id;item_id;price\n1;1;1,250\n')
  assert.equal(unclear.status, 409)
  assert.match(unclear.body.errors[1]?.message ?? '', /decimal=comma/)
  assert.equal(await price(1), 22.5)
  assert.equal((await send('prices?decimal=comma', 'price_list_id;item_id;price\n1;1;1,250\n')).status, 200)
  assert.equal(await price(1), 1.25)
  assert.equal((await send('prices', 'sep=;\nprice_list_id;item_id;price\n1;1;3.5\n')).body.data.rows_changed, 1)
  assert.equal(decimalOf(['1,5', '2.5']), 'point')
  assert.equal(decimalOf([]), 'point')
})

test('one broken character does not change the encoding of a file', () => {
  const text = Buffer.from('größere Käfer für überall')
  assert.equal(guessedEncoding(Buffer.concat([text, Buffer.from([0xff])])), 'utf-8')
  assert.equal(guessedEncoding(text.subarray(0, 3)), 'utf-8', 'cut within a character')
})

test('a barcode in exponent form is refused with a hint', async () => {
  for (const barcode of ['4.01E+12', '4,00638E+12', '4e12']) {
    const answer = await send('items', `${header}\n704;GR-4;"${barcode}";Filter;Größe;70\n`)
    assert.equal(answer.status, 409, barcode)
    assert.equal(answer.body.errors[1]?.field, 'item_barcode')
    assert.match(answer.body.errors[1]?.message ?? '', /exponent form of a spreadsheet.*format text/)
  }
})

test('a row names its item by article, with the brand where several have it', async () => {
  await service.sql(`insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title) values
    (710, 11, 1, 'DOUBLE-1', '710', 'One'), (711, 11, 2, 'Double 1', '711', 'Two')`)
  const named = await send('prices', 'price_list_id,article,brand_name,price\n1,bn280v,,77\n1,double1,FILTERWERK,78\n')
  assert.equal(named.status, 200, named.text)
  assert.deepEqual([await price(1), await price(711)], [77, 78])
  const bad = await send(
    'prices',
    'price_list_id,article,price,item_id\n1,double1,1,\n1,none,1,\n1,FW-2,1,2\n1,,1,\n1,FW-2,1,\n1,,1,2\n',
  )
  assert.deepEqual(
    bad.body.errors.slice(1).map(({ code, details }) => [details?.['line'], code]),
    [
      [2, 'article_ambiguous'],
      [3, 'article_not_found'],
      [4, 'row_malformed'],
      [5, 'row_malformed'],
      [7, 'row_repeated'],
    ],
  )
  const level = await send('stock-levels', 'stock_id,article,on_hand\n3,ЖK-7,9\n')
  assert.equal(level.body.data.rows_added, 1)
  assert.equal(
    (await service.sql('select on_hand from stock_levels where stock_id = 3 and item_id = 3'))[0]?.['on_hand'],
    '9',
  )
})

test('the name of the file is kept, from the query or from Content-Disposition', async () => {
  const file = 'price_list_id,item_id,price\n1,1,5\n'
  const nameFor = async (query: string, disposition?: string): Promise<unknown> =>
    (await send(`prices${query}`, file, disposition === undefined ? {} : { 'content-disposition': disposition })).body
      .data.file_name
  assert.equal(await nameFor('?file_name=Preise%202026.csv'), 'Preise 2026.csv')
  assert.equal(await nameFor('', 'attachment; filename="C:\\\\lists\\\\prices.csv"'), 'prices.csv')
  assert.equal(
    await nameFor('', "attachment; filename=x.csv; filename*=UTF-8''Preise%20f%C3%BCr%20alle.csv"),
    'Preise für alle.csv',
  )
  assert.equal(await nameFor('', 'inline'), null)
  assert.equal(await nameFor('', "attachment; filename*=UTF-8''%ff"), null)
})

test('an exported price list can be imported again', async () => {
  const exported = await service.request('GET', '/operator/v1/price-lists/1/prices/?csv_decimal=comma&csv_bom=true', {
    key: operators.keys.viewer,
    headers: { accept: 'text/csv' },
  })
  const rows = exported.text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(';'))
  const body = [
    'price_list_id;item_id;price;price_breaks',
    ...rows.map((cells) => `1;${cells[0]};${cells.slice(-2).join(';')}`),
  ].join('\r\n')
  const { data } = (await send('prices', body)).body
  assert.deepEqual([data.import_state, data.rows_unchanged], ['done', rows.length])
})

test('exported titles that look like formulas are the same after they were imported again', async () => {
  const titles = ['=1+1', 'PO;=1,-2', "'@x", '; "+y"']
  const sent = titles.map((_, at) => `${801 + at};FX-${at};1;Title;Mann;70`)
  assert.equal((await send('items', [header, ...sent].join('\r\n'))).status, 200)
  for (const [at, title] of titles.entries())
    await service.sql('update items set item_title = $2 where item_id = $1', [801 + at, title])
  const exported = await service.request('GET', '/operator/v1/items/', {
    key: operators.keys.viewer,
    headers: { accept: 'text/csv' },
  })
  const [names = [], ...rows] = exported.text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => readCsvRecord(line) as string[])
  const columns = header.split(';').map((name) => names.findIndex((full) => full.split('.').at(-1) === name))
  const kept = rows.filter((cells) => Number(cells[columns[0] ?? -1]) > 800)
  const quoted = (cells: string[]): string =>
    columns.map((at) => `"${(cells[at] ?? '').replaceAll('"', '""')}"`).join(';')
  const { text, body } = await send('items', [header, ...kept.map(quoted)].join('\r\n'))
  assert.equal(body.data?.rows_unchanged, titles.length, text)
})
