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

/**
 * Makes the reader of these fields. The value may have other members too. A field of another type, or a missing one, is a
 * bug; but a missing nullable field is null: the event was recorded before a release added it. The list of checks is made
 * once: a page has up to 500 events.
 */
export function fieldReader<S extends Shape>(shape: S): (value: UncheckedFields) => Values<S> {
  const checks = Object.entries(shape).map(([name, type]) => {
    const jsonType = jsonTypes[type.name]
    assert(jsonType !== undefined, `${type.name} is not read from JSON.`)
    return { name, jsonType, nullable: type.nullable }
  })
  const misfit = (value: UncheckedFields): string | undefined => {
    for (const { name, jsonType, nullable } of checks) {
      const field = value[name]
      if (field === null ? !nullable : typeof field !== jsonType) return name
    }
    return undefined
  }
  const fits = (value: UncheckedFields): value is Values<S> => misfit(value) === undefined
  const nullables = checks.filter(({ nullable }) => nullable).map(({ name }) => name)
  const nulls = Object.fromEntries(nullables.map((name) => [name, null]))
  return (stored) => {
    const value = nullables.every((name) => Object.hasOwn(stored, name)) ? stored : { ...nulls, ...stored }
    if (!fits(value)) assert.fail(`The stored data does not fit in the field ${misfit(value)}.`)
    return value
  }
}
