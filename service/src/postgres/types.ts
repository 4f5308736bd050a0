/**
 * The PostgreSQL types that statements take and return, each with its form in TypeScript.
 * A test holds every statement's declared types against PostgreSQL's own description of it.
 */
import assert from 'node:assert/strict'

export interface Type<T> {
  /** The name that `format_type` gives. */
  readonly name: string
  readonly nullable: boolean
  readonly decode: (text: string) => T
}

export type Value<T> = T extends Type<infer V> ? V : never

const type = <T>(name: string, decode: (text: string) => T): Type<T> => ({ name, nullable: false, decode })

export const nullable = <T>(of: Type<T>): Type<T | null> => ({ ...of, nullable: true })

/** Identifiers and counters: below 2^53, so that they are exact numbers in JSON and in JavaScript. */
export const int8 = type('bigint', (text) => {
  const value = Number(text)
  assert(Number.isSafeInteger(value), `${text} does not fit a number.`)
  return value
})

export const int4 = type('integer', Number)

/**
 * Money and rates, only ever shown. Reckoning is done by PostgreSQL; here at most 15 significant digits pass through,
 * which a double carries and prints back without change.
 */
export const numeric = type('numeric', Number)

export const text = type('text', (value) => value)

export const bool = type('boolean', (value) => value === 't')

/** `YYYY-MM-DD HH:MM:SS`, the contract's form: what PostgreSQL prints in the session's time zone, without fraction and offset. */
export const datetime = type('timestamp with time zone', (value) => value.slice(0, 19))

/** `YYYY-MM-DD`. */
export const date = type('date', (value) => value)

/** An instant as milliseconds since 1970, for comparing with the clock. */
export const instant = type('timestamp with time zone', (value) =>
  Date.parse(value.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
)

export const bytes = type<Uint8Array>('bytea', (value) => Buffer.from(value.slice(2), 'hex'))

/** Arrays of plain words and numbers; elements that need quoting are not used in our statements' results. */
export const textArray = type('text[]', (value) => (value === '{}' ? [] : value.slice(1, -1).split(',')))
export const int8Array = type('bigint[]', (value) => (value === '{}' ? [] : value.slice(1, -1).split(',').map(Number)))
