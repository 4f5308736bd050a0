/**
 * The PostgreSQL types that statements take and return, each with its form in TypeScript.
 * Text format in both directions: it is what PostgreSQL prints and reads everywhere.
 */
import assert from 'node:assert/strict'

export interface Type<T> {
  /** As `format_type` names it. */
  readonly name: string
  readonly nullable: boolean
  /** Reads PostgreSQL's text form, which lies in `bytes` from `start` to `end`. */
  decode(this: void, bytes: Buffer, start: number, end: number): T
  encode(this: void, value: T): string
}

export type ValueOf<T> = T extends Type<infer V> ? V : never

/** Named parameters or columns, each with its type. */
export type Shape = Readonly<Record<string, Type<unknown>>>
export type Values<S extends Shape> = { [K in keyof S]: ValueOf<S[K]> }

/** A row of any statement. */
export type Row = Values<Shape>

const type = <T>(name: string, decode: Type<T>['decode'], encode: Type<T>['encode'] = String): Type<T> => ({
  name,
  nullable: false,
  decode,
  encode,
})

export const nullable = <T>(of: Type<T>): Type<T | null> => ({ ...of, nullable: true })

const textOf: Type<string>['decode'] = (bytes, start, end) => bytes.toString('utf8', start, end)

/**
 * A decimal number from its digits. A whole number below 2^53 and a power of ten are both exact in a double,
 * so their quotient equals what `Number()` gives for the same text, at a fraction of the cost.
 */
function decimalOf(bytes: Buffer, start: number, end: number): number {
  let digits = 0
  let scale = 1
  let afterPoint = false
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x2d) continue // The sign.
    if (byte === 0x2e) {
      afterPoint = true
      continue
    }
    digits = digits * 10 + (byte - 0x30)
    if (afterPoint) scale *= 10
  }
  assert(digits <= Number.MAX_SAFE_INTEGER, 'PostgreSQL returned a number with too many digits to be exact.')
  return (bytes[start] === 0x2d ? -digits : digits) / scale
}

/** Identifiers and counters: below 2^53, so that they are exact in JSON and in JavaScript. */
export const int8 = type('bigint', decimalOf)

export const int4 = type('integer', decimalOf)

/** Money and rates, for display only: PostgreSQL does the arithmetic. At most 15 digits, which a double holds exactly. */
export const numeric = type('numeric', (bytes, start, end) =>
  end - start <= 15 ? decimalOf(bytes, start, end) : Number(textOf(bytes, start, end)),
)

export const text = type('text', textOf)

export const uuid = type('uuid', textOf)
export const bool = type('boolean', (bytes, start) => bytes[start] === 0x74)

/** `YYYY-MM-DD HH:MM:SS` in the session's time zone: PostgreSQL's own form without fraction and offset. */
export const datetime = type('timestamp with time zone', (bytes, start) => bytes.toString('latin1', start, start + 19))

/** `YYYY-MM-DD`. */
export const date = type('date', textOf)

/** Milliseconds since 1970, for comparing with the clock. */
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

/** Elements of an array of plain words or numbers. Elements that need quoting do not occur in results. */
const elements = (bytes: Buffer, start: number, end: number): string[] =>
  end - start === 2 ? [] : textOf(bytes, start + 1, end - 1).split(',')

const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`

export const textArray = type('text[]', elements, (values: string[]) => `{${values.map(quoted).join(',')}}`)
export const int8Array = type(
  'bigint[]',
  (...where) => elements(...where).map(Number),
  (values: number[]) => `{${values.join(',')}}`,
)

/** An array that `arrayLiteral` has already written: made once, stored, and passed on unchanged. */
export const literal = (name: 'bigint[]' | 'numeric[]' | 'text[]' | 'boolean[]'): Type<string> => type(name, textOf)

export const arrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => (typeof value === 'string' ? quoted(value) : value === null ? 'NULL' : String(value))).join(',')}}`

/** A `jsonb` column whose content the statement itself builds, so that its form is known where the statement is declared. */
export const jsonOf = <T extends object>(): Type<T> =>
  type<T>(
    'jsonb',
    (bytes, start, end) => JSON.parse(textOf(bytes, start, end)) as T,
    (value) => JSON.stringify(value),
  )

/** Any object stored as `jsonb`. */
export const json = jsonOf<Record<string, unknown>>()

/** The type `json` keeps the text as it is and is cheaper to write than `jsonb`. */
export const plainJsonOf = <T extends object>(): Type<T> => ({ ...jsonOf<T>(), name: 'json' })
export const plainJson = plainJsonOf<Record<string, unknown>>()

/** `jsonb` as text that is already written. */
export const jsonText = type('jsonb', textOf)
