import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsvRecord } from './csv.ts'
import { csvLine, withoutApostrophes, type CsvForm } from './write-csv.ts'

const form = (separator: string): CsvForm => ({ separator, decimalComma: false, bom: false })
const separators = [',', ';', '\t']

test('a formula after any separator gets an apostrophe; other texts stay as they are', () => {
  const cases: [string, string][] = [
    ["PO;=cmd|'/C calc'!A0", "PO;'=cmd|'/C calc'!A0"],
    ['a,=b;+c|@d\t-e\n=f\r=g', "a,'=b;'+c|'@d\t'-e\n'=f\r'=g"],
    ['PO; "=1"', 'PO;\' "=1"'],
    ["'=1", "''=1"],
    ['＝1', "'＝1"],
    ['a=b, c-d; 5 + 6', 'a=b, c-d; 5 + 6'],
  ]
  for (const [text, expected] of cases)
    assert.deepEqual(readCsvRecord(csvLine([text], form('/')).slice(0, -2), '/'), [expected])
})

test('a formula within a list of a row gets an apostrophe', () => {
  assert.equal(
    csvLine([[{ note: 'PO;=1', amount: -2 }, '=2']], form('\t')),
    '"[{""note"":""PO;\'=1"",""amount"":-2},""\'=2""]"\r\n',
  )
})

// Texts of the characters that matter, which random text rarely has.
const hostile = fc.string({ unit: fc.constantFrom(...Array.from(`=+-@,;|\t\r\n "'aＡ＝＋－＠`)), maxLength: 20 })

test('wherever a spreadsheet splits the file, no cell begins with a formula', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), fc.constantFrom(...separators), (texts, separator) => {
      const line = csvLine(texts, form(separator)).slice(0, -2)
      for (const split of [...separators, '|', '\n', '\r'])
        for (const cell of line.split(split)) assert.doesNotMatch(cell, /^[ "]*[=+\-@＝＋－＠]/, JSON.stringify(line))
    }),
    { numRuns: 5_000 },
  )
})

test('every text is the same after it was exported and imported', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), fc.constantFrom(...separators), (texts, separator) => {
      const cells = readCsvRecord(csvLine(texts, form(separator)).slice(0, -2), separator)
      assert(Array.isArray(cells))
      assert.deepEqual(cells.map(withoutApostrophes), texts)
    }),
    { numRuns: 5_000 },
  )
})
