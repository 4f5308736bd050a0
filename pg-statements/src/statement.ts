/**
 * A statement is one `.sql` file with named parameters (`:client_id`), sent as a named prepared statement.
 * pgbench knows the same notation: `bench/run` measures the same text bare.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDecoder } from './row-decoder.ts'
import type { Type, Value } from './types.ts'

export type Shape = Readonly<Record<string, Type<unknown>>>
export type Values<S extends Shape> = { [K in keyof S]: Value<S[K]> }

export interface Statement<P extends Shape = Shape, C extends Shape = Shape> {
  readonly name: string
  readonly text: string
  /** Parameter names in the order of `$1`, `$2`, … */
  readonly order: readonly string[]
  readonly parameters: P
  readonly columns: C
  /** It changes nothing and locks nothing. */
  readonly reads: boolean
  /** Constraints by which this statement may be refused: it then changed nothing, as if it had found no row. */
  readonly refusedBy: readonly string[]
  /** The values as PostgreSQL reads them, in order. */
  encode(this: void, values: Values<P>): (string | null)[]
  /** The columns in the order in which PostgreSQL sends them. It never changes, so the first answer settles it. */
  describe(this: void, names: readonly string[]): void
  /** Makes an object of the row that lies in `bytes` at `start`. */
  decode(this: void, bytes: Buffer, start: number, previous: Values<C> | undefined): Values<C>
}

/** A row of any statement. */
export type Row = Values<Shape>

/** Every statement of the running program, by name: the tests and the benchmark walk through it. */
export const statements = new Map<string, Statement>()

export function statement<P extends Shape, C extends Shape>(
  file: URL,
  shape: {
    parameters: P
    columns: C
    refusedBy?: readonly string[]
    /** Columns that come first, and are the same in neighbouring rows with the same first column: they are decoded once. */
    shared?: Shape
  },
): Statement<P, C> {
  const { parameters, columns, refusedBy = [], shared = {} } = shape
  const name = basename(fileURLToPath(file), '.sql')
  const { text, order } = numberParameters(readSql(file))
  assert.deepEqual([...order].sort(), Object.keys(parameters).sort(), `${name}.sql and its declared parameters differ.`)
  assert(!statements.has(name), `Two statements are called ${name}.`)
  const encoders = order.map((parameter) => parameters[parameter]?.encode ?? String)
  const made: { -readonly [K in keyof Statement<P, C>]: Statement<P, C>[K] } = {
    name,
    text,
    order,
    parameters,
    columns,
    reads: !/\b(insert|update|delete|nextval)\b/.test(text),
    refusedBy,
    encode: (values) =>
      order.map((parameter, i) => {
        const value = values[parameter]
        return value === null ? null : (encoders[i] as (value: unknown) => string)(value)
      }),
    describe: (names) => {
      if (made.decode === undescribed) made.decode = makeDecoder(columns, names, Object.keys(shared))
    },
    decode: undescribed,
  }
  statements.set(name, made)
  return made
}

function undescribed(): never {
  throw new Error('A row came before the description of its columns.')
}

/** The text of a file. A line that ends in `-- include name.part.sql` goes on with that file: what several statements have in common. */
function readSql(file: URL): string {
  return readFileSync(file, 'utf8').replaceAll(/-- include (\S+)$/gm, (_, part: string) => readSql(new URL(part, file)))
}

/** Replaces `:name` by `$n`, outside of comments, quoted text and `::casts`. */
function numberParameters(sql: string): { text: string; order: string[] } {
  const order: string[] = []
  const text = sql.replace(
    /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|::|:([a-z_][a-z0-9_]*)/g,
    (whole, name: string | undefined) => {
      if (whole.startsWith('--')) return ''
      if (name === undefined) return whole
      if (!order.includes(name)) order.push(name)
      return `$${order.indexOf(name) + 1}`
    },
  )
  return { text, order }
}
