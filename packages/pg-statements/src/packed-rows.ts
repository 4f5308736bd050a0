/**
 * The rows that belong to a row, such as the lines of an order, in one column of text. The result then has one row per
 * order, and PostgreSQL needs half the time of `json_agg(json_build_array(…))`, which looks up the types of each row.
 * The separators are control characters, which no text field of a request may contain. A statement packs rows with
 *
 *   coalesce(string_agg(concat_ws(E'\x1f', i.item_id, i.item_title), E'\x1e'), '')
 *
 * over a sorted subquery: before version 16, PostgreSQL sorts for an `order by` in the aggregate even if an index gives
 * that order.
 */
import assert from 'node:assert/strict'
import { bool, date, datetime, int4, int8, numeric, text, type Shape, type Type, type Values } from './types.ts'

/** How each type is read from its text, as an expression. Numbers are exact: ids are below 2^53, money has at most 15 digits. */
const expressions = new Map<unknown, (field: string) => string>([
  [int8, (field) => `Number(${field})`],
  [int4, (field) => `Number(${field})`],
  [numeric, (field) => `Number(${field})`],
  [text, (field) => field],
  [date, (field) => field],
  [datetime, (field) => `${field}.slice(0, 19)`],
  [bool, (field) => `${field} === 't'`],
])

/**
 * Fields must not be null, because `concat_ws` leaves those out. A row with another number of fields is an error.
 * Cutting one string into pieces takes a third of the time of decoding each field from its bytes, and an object literal
 * with all keys known is cheaper than one filled by name, hence the generated function.
 */
export function packedRows<S extends Shape>(shape: S): Type<Values<S>[]> {
  const fields = Object.entries(shape).map(([name, type], i) => {
    const expression = expressions.get(type)
    assert(expression, `${name} cannot be packed: null, or an unknown type.`)
    return { name, expression: expression(`f${i}`) }
  })
  const last = fields.length - 1
  const body = `
    const rows = []
    for (let at = 0, to = 0; at < text.length;) {
      let end = text.indexOf('\\x1e', at)
      if (end === -1) end = text.length
      ${fields
        .slice(0, last)
        .map(
          (_, i) => `
      to = text.indexOf('\\x1f', at)
      if (to === -1 || to > end) fail()
      const f${i} = text.slice(at, to)
      at = to + 1`,
        )
        .join('')}
      to = text.indexOf('\\x1f', at)
      if (to !== -1 && to < end) fail()
      const f${last} = text.slice(at, end)
      at = end + 1
      rows.push({ ${fields.map(({ name, expression }) => `${JSON.stringify(name)}: ${expression}`).join(', ')} })
    }
    return rows`
  // oxlint-disable-next-line typescript/no-implied-eval -- The text consists of our own column names.
  const unpack = new Function('text', 'fail', body) as (text: string, fail: () => never) => Values<S>[]
  const fail = (): never => assert.fail('A packed row has too few or too many fields.')
  return {
    name: 'text',
    nullable: false,
    decode: (bytes, start, end) => unpack(bytes.toString('utf8', start, end), fail),
    encode: () => assert.fail('Packed rows are only read.'),
  }
}
