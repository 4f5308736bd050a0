/** The one reader of stored JSON: what it returns has been checked against the declared types. */
import assert from 'node:assert/strict'
import type { Shape, Values } from 'pg-statements/statement.ts'

type UncheckedFields = Readonly<Record<string, unknown>>

const jsonTypes: Readonly<Record<string, 'boolean' | 'number' | 'string'>> = {
  bigint: 'number',
  boolean: 'boolean',
  date: 'string',
  integer: 'number',
  numeric: 'number',
  text: 'string',
  'timestamp with time zone': 'string',
}

/** Returns the value itself, which may have other members too. A missing field, or one of another type, is a bug. */
export function readFields<S extends Shape>(shape: S, value: UncheckedFields): Values<S> {
  assert(hasFields(shape, value), `The stored data does not fit in the field ${misfit(shape, value)}.`)
  return value
}

export function readRows<S extends Shape>(shape: S, value: unknown): Values<S>[] {
  assert(Array.isArray(value))
  return value.map((row: UncheckedFields) => readFields(shape, row))
}

const hasFields = <S extends Shape>(shape: S, value: UncheckedFields): value is Values<S> =>
  misfit(shape, value) === undefined

/** The first field whose value is not of its type. */
function misfit(shape: Shape, value: UncheckedFields): string | undefined {
  for (const [name, type] of Object.entries(shape)) {
    const field = value[name]
    if (field === null ? !type.nullable : typeof field !== jsonTypes[type.name]) return name
  }
  return undefined
}
