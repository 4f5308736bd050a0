/**
 * A statement is one `.sql` file with named parameters (`:client_id`), sent as a named prepared statement.
 * pgbench knows the same notation: `bench/run` measures the same text bare.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  /** Constraints by which this statement may be refused: it then changed nothing, as if it had found no row. */
  readonly refusedBy: readonly string[]
  /** Makes an object of a row; `fields` are the columns in the order in which PostgreSQL sends them. */
  readonly decoder: (fields: readonly { name: string }[]) => (row: readonly (string | null)[]) => Values<C>
}

/** Every statement of the running program, by name: the tests and the benchmark walk through it. */
export const statements = new Map<string, Statement>()

export function statement<P extends Shape, C extends Shape>(
  file: URL,
  shape: { parameters: P; columns: C; refusedBy?: readonly string[] },
): Statement<P, C> {
  const name = basename(fileURLToPath(file), '.sql')
  const { text, order } = numberParameters(readFileSync(file, 'utf8'))
  assert.deepEqual(
    [...order].sort(),
    Object.keys(shape.parameters).sort(),
    `${name}.sql and its declared parameters differ.`,
  )
  assert(!statements.has(name), `Two statements are called ${name}.`)
  const made = { name, text, order, refusedBy: [], ...shape, decoder: rowDecoder(shape.columns) }
  statements.set(name, made)
  return made
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

/**
 * Rows arrive as arrays of text; an object with all of its keys known at once is several times cheaper than one filled by name.
 * The order of a statement's columns never changes, so the first answer settles it.
 */
function rowDecoder<C extends Shape>(columns: C): Statement<Shape, C>['decoder'] {
  let decode: ReturnType<Statement<Shape, C>['decoder']> | undefined
  return (fields) =>
    (decode ??= buildDecoder(
      columns,
      fields.map(({ name }) => name),
    ))
}

function buildDecoder<C extends Shape>(
  columns: C,
  names: readonly string[],
): (row: readonly (string | null)[]) => Values<C> {
  const decoders = names.map((name) => columns[name]?.decode)
  const body = names.map((name, i) => `${JSON.stringify(name)}: row[${i}] === null ? null : decoders[${i}](row[${i}])`)
  // oxlint-disable-next-line typescript/no-implied-eval -- The text consists of our own column names.
  const build = new Function('decoders', `return (row) => ({ ${body.join(', ')} })`) as (
    of: unknown,
  ) => (row: readonly (string | null)[]) => Values<C>
  return build(decoders)
}
