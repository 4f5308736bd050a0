import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOut, type Column } from './table.ts'
import { clean, jsonLine, widthOf, wrap } from './text.ts'

test('control characters are removed from text and escaped in JSON, which keeps its value', () => {
  const nasty = 'a\u001B[31mred\u009B2J\u0007\u202Eback\u2028\uD800z\u007F\ttab'
  assert.equal(clean(nasty), 'a�[31mred�2J��back��z��tab')
  assert.doesNotMatch(jsonLine({ nasty }), /[^\x20-\x7E]/)
  assert.deepEqual(JSON.parse(jsonLine({ nasty, more: 'Ж→ü' })), { nasty, more: 'Ж→ü' })
})

test('text is measured in columns: wide characters take two, combined ones one', () => {
  assert.deepEqual(['abc', 'Жü', '東京', 'e\u0301', '🚚', ''].map(widthOf), [3, 2, 4, 1, 2, 0])
})

test('lines are broken between words, and within a word only if it is longer than a line', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three'])
  assert.deepEqual(wrap('BX-110245678 x', 5), ['BX-11', '02456', '78 x'])
  assert.deepEqual(wrap('東京都', 4), ['東京', '都'])
  assert.deepEqual(wrap('', 5), [''])
})

test('a table is at most as wide as the terminal; nothing is lost, and whole columns are not wrapped', () => {
  const columns: readonly Column<string[]>[] = [
    { title: 'NUMBER', of: ([number = '']) => number, whole: true, right: true },
    { title: 'NAME', of: ([, name = '']) => name },
    { title: 'TEXT', of: ([, , text = '']) => text },
  ]
  const rows = [
    ['100234', 'Autohaus Lindner und Söhne', 'takes 3 of 40 available, contract +331.56'],
    ['7', 'Weber', ''],
  ]
  assert.deepEqual(layOut(columns, rows, 120), {
    head: ['NUMBER  NAME                        TEXT'],
    body: ['100234  Autohaus Lindner und Söhne  takes 3 of 40 available, contract +331.56', '     7  Weber'],
  })
  for (const width of [30, 40, 60]) {
    const { head, body } = layOut(columns, rows, width)
    const lines = [...head, ...body]
    assert(
      lines.every((line) => widthOf(line) <= width),
      lines.join('\n'),
    )
    const words = (texts: readonly string[]): string[] => texts.join(' ').split(/\s+/).filter(Boolean).toSorted()
    assert.deepEqual(words(body), words(rows.flat()))
  }
})
