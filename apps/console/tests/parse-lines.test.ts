/** What clerks type and paste as lines of an order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLines } from '../src/parts/new-order/parse-lines.ts'

const parsed = (text: string) => parseLines(text).map(({ article, quantity, brand }) => [article, quantity, brand])

test('a typed line is an article and a quantity, which may stand first with an x; a brand follows them', () => {
  for (const [text = '', ...expected] of [
    ['BN-280-V 4', 'BN-280-V', '4', ''],
    ['bn 280 v 4', 'bn 280 v', '4', ''],
    ['12345678 4', '12345678', '4', ''],
    ['BN-280-V', 'BN-280-V', '1', ''],
    ['BN-280-V x4', 'BN-280-V', '4', ''],
    ['4x BN-280-V', 'BN-280-V', '4', ''],
    ['4 × BN 280 V', 'BN 280 V', '4', ''],
    ['BN-280-V 4 pcs', 'BN-280-V', '4', ''],
    ['BN-280-V 4 шт.', 'BN-280-V', '4', ''],
    ['BN-280-V 4 Bremsen Nord', 'BN-280-V', '4', 'Bremsen Nord'],
    ['FW-2/10,10', 'FW-2/10', '10', ''],
  ])
    assert.deepEqual(parsed(text), [expected], text)
})

test('cells of a spreadsheet are recognised by their form, empty rows are left out', () => {
  assert.deepEqual(parsed('A1\t4\r\n\r\nB2\t5\r\n'), [
    ['A1', '4', ''],
    ['B2', '5', ''],
  ])
  assert.deepEqual(parsed('Bremsen Nord;BN-280-V;4'), [['BN-280-V', '4', 'Bremsen Nord']])
  assert.deepEqual(parsed('BN-280-V\t2,00\tBremsen Nord'), [['BN-280-V', '2', 'Bremsen Nord']])
  assert.deepEqual(parsed('1;BN-280-V;4'), [['BN-280-V', '4', '']])
  assert.deepEqual(parsed('12345678;Disc;4'), [['12345678', '4', 'Disc']])
})

test('a heading says what the columns are, in English, German and Russian', () => {
  const expected = [
    ['A1', '4', 'Filterwerk'],
    ['B2', '2', ''],
  ]
  assert.deepEqual(parsed('No;Article;Title;Qty;Brand\n1;A1;Disc 280;4;Filterwerk\n2;B2;"Oil";2,00;'), expected)
  assert.deepEqual(parsed('Menge\tArtikelnummer\tHersteller\n4\tA1\tFilterwerk\n2\tB2\t'), expected)
  assert.deepEqual(parsed('Артикул;Кол-во;Бренд\nA1;4;Filterwerk\nB2;2;'), expected)
})

test('what is no quantity is shown as it was written, or stays in the article, and never becomes another number', () => {
  assert.deepEqual(parsed('Article;Qty\nA1;1.000\nA2;two'), [
    ['A1', '1.000', ''],
    ['A2', 'two', ''],
  ])
  assert.deepEqual(parsed('FW-2, 2,5'), [['FW-2, 2,5', '1', '']])
})
