import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvReader, type CsvRecord } from './csv.ts'

/** Each record as its line and its cells. */
function read(lines: readonly string[]): (readonly [number, CsvRecord['cells']])[] {
  const reader = csvReader(',')
  const records = [...lines.flatMap((text, at) => reader.read(at + 1, text)), ...reader.end()]
  return records.map(({ line, cells }) => [line, cells])
}

test('a record may span lines, and has the number of its first; blank lines are left out, but not within a field', () => {
  assert.deepEqual(read(['1,"a', '', 'b ""c"""', ' ', '2,d']), [
    [1, ['1', 'a\n\nb "c"']],
    [5, ['2', 'd']],
  ])
})

test('a forgotten quote spoils its own line only: at the end, after twenty lines, and after 64 KB', () => {
  const bad = [1, 'a quoted field does not end']
  const rows = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at + 2},x`)
  const goodRows = (count: number): unknown[] => rows(count).map((row, at) => [at + 2, row.split(',')])
  for (const count of [0, 5, 30]) assert.deepEqual(read(['1,"x', ...rows(count)]), [bad, ...goodRows(count)])
  const long = 'y'.repeat(64 * 1024)
  const { read: readLine } = csvReader(',')
  assert.deepEqual(readLine(1, '1,"x'), [])
  assert.deepEqual(
    readLine(2, long).map(({ line, cells }) => [line, cells]),
    [bad, [2, [long]]],
  )
})

test('a quote within a field spoils the first line of its record only', () => {
  assert.deepEqual(read(['1,"a', '2,b', 'c"d', '3,e']), [
    [1, 'a quote stands within a field'],
    [2, ['2', 'b']],
    [3, 'a quote stands within a field'],
    [4, ['3', 'e']],
  ])
})
