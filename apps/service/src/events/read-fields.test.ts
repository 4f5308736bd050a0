import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldReader } from './read-fields.ts'
import { bool, date, int8, nullable, numeric, text } from 'pg-statements/types.ts'

const shape = { id: int8, name: text, total: numeric, day: nullable(date), open: bool }
const readFields = fieldReader(shape)
const stored = { id: 1, name: 'Anna', total: 2.5, day: null, open: false }

test('stored data with every field of the declared type is read as it is', () => {
  assert.deepEqual(readFields(stored), stored)
  assert.deepEqual(readFields({ ...stored, day: '2026-11-15' }), { ...stored, day: '2026-11-15' })
})

test('stored data without a nullable field is read with null: it was recorded before the field existed', () => {
  const { day: _, ...withoutDay } = stored
  assert.deepEqual(readFields(withoutDay), stored)
})

test('stored data that lacks a field, or has one of another type, is an error that names the field', () => {
  const { name: _, ...withoutName } = stored
  assert.throws(() => readFields(withoutName), /field name/)
  assert.throws(() => readFields({ ...stored, name: null }), /field name/)
  assert.throws(() => readFields({ ...stored, total: '2.5' }), /field total/)
})
