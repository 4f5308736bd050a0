/**
 * The PostgreSQL types that statements take and return, each with its form in TypeScript.
 * A test holds every statement's declared types against PostgreSQL's own description of it.
 */
import assert from 'node:assert/strict'

export interface Type<T> {
  /** The name that `format_type` gives. */
  readonly name: string
  readonly nullable: boolean
  /** Reads PostgreSQL's text form, which lies in `bytes` from `start` to `end`. */
  decode(this: void, bytes: Buffer, start: number, end: number): T
  /** Writes it. */
  encode(this: void, value: T): string
}

export type Value<T> = T extends Type<infer V> ? V : never

const type = <T>(name: string, decode: Type<T>['decode'], encode: Type<T>['encode'] = String): Type<T> => ({
  name,
  nullable: false,
  decode,
  encode,
})

export const nullable = <T>(of: Type<T>): Type<T | null> => ({ ...of, nullable: true })

const textOf: Type<string>['decode'] = (bytes, start, end) => bytes.toString('utf8', start, end)

/**
 * A decimal number from its digits: a whole number below 2^53 and a power of ten are both exact in a double,
 * so that their quotient is what `Number()` would give for the same text, at a fraction of its cost.
 */
function decimalOf(bytes: Buffer, start: number, end: number): number {
  let digits = 0
  let scale = 1
  let afterPoint = false
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === 0x2d) continue // The sign.
    if (byte === 0x2e) {
      afterPoint = true
      continue
    }
    digits = digits * 10 + (byte - 0x30)
    if (afterPoint) scale *= 10
  }
  assert(digits <= Number.MAX_SAFE_INTEGER, 'A number of PostgreSQL has too many digits to be exact here.')
  return (bytes[start] === 0x2d ? -digits : digits) / scale
}

/** Identifiers and counters: below 2^53, so that they are exact numbers in JSON and in JavaScript. */
export const int8 = type('bigint', decimalOf)

export const int4 = type('integer', decimalOf)

/** Money and rates, only ever shown: reckoning is done by PostgreSQL. Stored with at most 15 digits, which a double carries. */
export const numeric = type('numeric', (bytes, start, end) =>
  end - start <= 15 ? decimalOf(bytes, start, end) : Number(textOf(bytes, start, end)),
)

export const text = type('text', textOf)

export const bool = type('boolean', (bytes, start) => bytes[start] === 0x74)

/** `YYYY-MM-DD HH:MM:SS`, the contract's form: what PostgreSQL prints in the session's time zone, without fraction and offset. */
export const datetime = type('timestamp with time zone', (bytes, start) => bytes.toString('latin1', start, start + 19))

/** `YYYY-MM-DD`. */
export const date = type('date', textOf)

/** An instant as milliseconds since 1970, for comparing with the clock. */
export const instant = type('timestamp with time zone', (bytes, start, end) =>
  Date.parse(
    textOf(bytes, start, end)
      .replace(' ', 'T')
      .replace(/([+-]\d\d)$/, '$1:00'),
  ),
)

export const bytes = type<Uint8Array>(
  'bytea',
  (all, start, end) => Buffer.from(all.toString('latin1', start + 2, end), 'hex'),
  (value) => `\\x${Buffer.from(value).toString('hex')}`,
)

/** Arrays of plain words and numbers; elements that need quoting are not used in our statements' results. */
const elements = (bytes: Buffer, start: number, end: number): string[] =>
  end - start === 2 ? [] : textOf(bytes, start + 1, end - 1).split(',')

const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`

export const textArray = type('text[]', elements, (values: string[]) => `{${values.map(quoted).join(',')}}`)
export const int8Array = type(
  'bigint[]',
  (...where) => elements(...where).map(Number),
  (values: number[]) => `{${values.join(',')}}`,
)

/** An array as `arrayLiteral` wrote it: made once, stored, and handed on as it is. */
export const literal = (name: 'bigint[]' | 'numeric[]' | 'text[]' | 'boolean[]'): Type<string> => type(name, textOf)

export const arrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => (typeof value === 'string' ? quoted(value) : value === null ? 'NULL' : String(value))).join(',')}}`

/** An object stored as JSON. */
export const json = type<Record<string, unknown>>(
  'jsonb',
  (bytes, start, end) => JSON.parse(textOf(bytes, start, end)) as Record<string, unknown>,
  (value) => JSON.stringify(value),
)

/** The same, in PostgreSQL's type that keeps the text as it is and is cheaper to write. */
export const plainJson: Type<Record<string, unknown>> = { ...json, name: 'json' }

/** JSON of a known form, for a statement that builds it from typed columns. */
export const jsonOf = <T>(): Type<T> =>
  type<T>(
    'jsonb',
    (bytes, start, end) => JSON.parse(textOf(bytes, start, end)) as T,
    (value) => JSON.stringify(value),
  )

/** JSON that is written down already. */
export const jsonText = type('jsonb', textOf)
