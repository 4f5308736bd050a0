/**
 * A statement is one `.sql` file, or a few lines, with named parameters (`:client_id`), sent as a named prepared statement.
 * pgbench reads the same notation, so the same file can be benchmarked bare.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRowDecoder } from './row-decoder.ts'
import type { Shape, Values } from './types.ts'

export type { Row, Shape, Values } from './types.ts'

export interface Statement<P extends Shape = Shape, C extends Shape = Shape> {
  readonly name: string
  readonly text: string
  /** Parameter names in the order of `$1`, `$2`, … */
  readonly order: readonly string[]
  readonly parameters: P
  readonly columns: C
  /** It changes nothing and locks nothing. Derived from the text; a test holds it against PostgreSQL. */
  readonly reads: boolean
  /** Constraints (or SQLSTATE codes) that may refuse this statement: it then changed nothing, as if it had found no row. */
  readonly refusedBy: readonly string[]
  /** SQLSTATE codes that mean, for this statement, that a concurrent change came first: it is repeated. */
  readonly collidesBy: readonly string[]
  /** The values as PostgreSQL reads them, in order. Throws when one is missing or one too many is given. */
  encode(this: void, values: Values<P>): (string | null)[]
  /** Sets the columns in the order PostgreSQL sends them. The order never changes, so the first answer settles it. */
  describe(this: void, names: readonly string[]): void
  /** Makes an object of the row that lies in `bytes` at `start`. */
  decode(this: void, bytes: Buffer, start: number): Values<C>
}

/** Every statement of the running program, by name: tests and benchmarks walk through it. */
export const statements = new Map<string, Statement>()

interface StatementShape<P extends Shape, C extends Shape> {
  parameters: P
  columns: C
  /** The columns that `-- columns o` lists; by default all. */
  listed?: Shape
  refusedBy?: readonly string[]
  collidesBy?: readonly string[]
  /** Only where the text does not show it: a function that changes something. */
  reads?: boolean
}

export function statement<P extends Shape, C extends Shape>(file: URL, shape: StatementShape<P, C>): Statement<P, C> {
  return register(makeStatement(basename(fileURLToPath(file), '.sql'), readSql(file), shape))
}

/** A statement of at most four lines, which stands in its operation. */
export function shortStatement<P extends Shape, C extends Shape>(
  name: string,
  { sql, ...shape }: StatementShape<P, C> & { sql: string },
): Statement<P, C> {
  return register(makeStatement(name, sql, shape))
}

function register<P extends Shape, C extends Shape>(made: Statement<P, C>): Statement<P, C> {
  assert(!statements.has(made.name), `Two statements are called ${made.name}.`)
  statements.set(made.name, made)
  return made
}

interface FunctionShape<P extends Shape, C extends Shape> {
  /** Called as the function's arguments. */
  parameters: P
  columns: C
  /**
   * A call of another function that reads the answer. It takes something that the first one (f) returns, so that it is made
   * after it and sees what was changed.
   */
  answer?: string
  /** Unless it is that of the function. */
  name?: string
}

/** A function has looked for the row of the same key: another one was written meanwhile. */
const collidesBy = ['23505']

/**
 * The call of the function that a file creates: `place_order.sql` creates `place_order`, and its call is named
 * `place-order`. The function returns a refusal in its column `refused`, or the other columns.
 */
export function functionStatement<P extends Shape, C extends Shape>(
  file: URL,
  { parameters, columns, answer, name }: FunctionShape<P, C>,
): Statement<P, C> {
  const called = basename(fileURLToPath(file), '.sql')
  const values = Object.keys(parameters).map((name) => `${name} => :${name}`)
  const answered = answer === undefined ? '' : ` left join lateral ${answer} a on true`
  const shown = Object.keys(columns).map((column) =>
    answer === undefined || column === 'refused' ? `f.${column}` : `a.${column}`,
  )
  const sql = `select ${shown.join(', ')} from ${called}(${values.join(', ')}) f${answered}`
  return register(
    makeStatement(name ?? called.replaceAll('_', '-'), sql, { parameters, columns, reads: false, collidesBy }),
  )
}

/** A statement of the engine itself, which is not among `statements`. */
export function makeStatement<P extends Shape, C extends Shape>(
  name: string,
  sql: string,
  shape: StatementShape<P, C>,
): Statement<P, C> {
  const { parameters, columns, refusedBy = [] } = shape
  const { text, order } = numberParameters(listColumns(sql, Object.keys(shape.listed ?? columns)))
  assert.deepEqual([...order].sort(), Object.keys(parameters).sort(), `${name}.sql and its declared parameters differ.`)
  const encoders = order.map((parameter) => parameters[parameter]?.encode ?? String)
  const made: { -readonly [K in keyof Statement<P, C>]: Statement<P, C>[K] } = {
    name,
    text,
    order,
    parameters,
    columns,
    reads: shape.reads ?? !/\b(insert|update|delete|nextval|for (no key update|share|key share))\b/.test(text),
    refusedBy,
    collidesBy: shape.collidesBy ?? [],
    encode: (values) => {
      const encoded = order.map((parameter, i) => {
        const value = values[parameter]
        if (value === undefined) throw new Error(`${name}: no value is given for :${parameter}.`)
        return value === null ? null : (encoders[i] as (value: unknown) => string)(value)
      })
      refuseSurplus(name, order, values)
      return encoded
    },
    describe: (names) => {
      if (made.decode === undescribed) made.decode = makeRowDecoder(columns, names)
    },
    decode: undescribed,
  }
  return made
}

/** A value that no parameter takes was meant to be stored: dropping it silently would lose data. */
function refuseSurplus(name: string, order: readonly string[], values: object): void {
  const given = Object.keys(values)
  if (given.length === order.length) return
  const surplus = given.filter((parameter) => !order.includes(parameter))
  throw new Error(`${name} takes no parameter ${surplus.map((parameter) => `:${parameter}`).join(', ')}.`)
}

function undescribed(): never {
  throw new Error('A row arrived before the description of its columns.')
}

/** The text of a file. A line that ends in `-- include name.part.sql` continues with that file, which several statements share. */
function readSql(file: URL): string {
  return readFileSync(file, 'utf8').replaceAll(/-- include (\S+)$/gm, (_, part: string) => readSql(new URL(part, file)))
}

/** A line that ends in `-- columns o` continues with the listed columns of `o`, and with a comma unless `from` follows. */
const listColumns = (sql: string, names: readonly string[]): string =>
  sql.replaceAll(/-- columns (\w+)$(?=\s*(from\b)?)/gm, (_, table: string, last: string | undefined) => {
    const listed = names.map((name) => `${table}."${name}"`).join(', ')
    return last === undefined ? `${listed},` : listed
  })

/** Replaces `:name` by `$n`, except in comments, quoted text and `::casts`. */
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
