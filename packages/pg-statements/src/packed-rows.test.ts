import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packedRows } from './packed-rows.ts'
import { bool, datetime, int8, nullable, numeric, text } from './types.ts'

const rows = packedRows({ id: int8, name: text, price: numeric, at: datetime, open: bool, note: text })

const read = (packed: string): unknown => {
  const bytes = Buffer.from(`before${packed}\u001fafter`)
  return rows.decode(bytes, 6, bytes.length - 6)
}

const first = ['7', 'Bremse, „vorn“', '10.2500', '2026-11-15 09:30:00.123+00', 't', ''].join('\u001f')
const second = ['8', '', '-0.5', '2026-11-16 00:00:00+00', 'f', 'last'].join('\u001f')

test('packed rows are read field by field in the declared types, empty texts included', () => {
  const one = { id: 7, name: 'Bremse, „vorn“', price: 10.25, at: '2026-11-15 09:30:00', open: true, note: '' }
  const other = { id: 8, name: '', price: -0.5, at: '2026-11-16 00:00:00', open: false, note: 'last' }
  assert.deepEqual(read(`${first}\u001e${second}`), [one, other])
  assert.deepEqual(read(`${second}\u001e${first}`), [other, one])
  assert.deepEqual(read(first), [one])
  assert.deepEqual(read(''), [])
})

test('a row with too few or too many fields is an error, not a row of shifted values', () => {
  for (const packed of [`${first}\u001fmore`, `${first}\u001f\u001e${second}`, `7\u001fname\u001e${second}`, '7'])
    assert.throws(() => read(packed), /packed row/)
  assert.throws(() => packedRows({ id: int8, note: nullable(text) }))
})
