import assert from 'node:assert/strict'
import type { Shape, Values } from './types.ts'

/** Makes an object of the row that lies in `bytes` at `start`; `previous` is the row before it. */
export type RowDecoder<C extends Shape> = (
  this: void,
  bytes: Buffer,
  start: number,
  previous: Values<C> | undefined,
) => Values<C>

/**
 * Generates the function that decodes a row. Each column is its length in four bytes (-1 for null) and its text.
 * `names` are the columns in the order PostgreSQL sends them. `shared` are leading columns that repeat in neighbouring rows
 * with the same first column (see `statement`): they are decoded once.
 * An object literal with all keys known is several times cheaper than one filled by name, hence the generated function.
 */
export function makeRowDecoder<C extends Shape>(
  columns: C,
  names: readonly string[],
  shared: readonly string[],
): RowDecoder<C> {
  assert.deepEqual(names.slice(0, shared.length).toSorted(), shared.toSorted(), 'Shared columns come first.')
  const read = (i: number): string => `
    length = bytes.readInt32BE(at)
    const c${i} = length === -1 ? null : d${i}(bytes, at + 4, at + 4 + length)
    at += length === -1 ? 4 : 4 + length`
  const others = [...names.keys()].slice(1)
  const own = others.filter((i) => i >= shared.length)
  const object = (from: (i: number) => string): string =>
    `{ ${names.map((name, i) => `${JSON.stringify(name)}: ${from(i)}`).join(', ')} }`
  const repeated = `
    if (previous !== undefined && previous[${JSON.stringify(names[0])}] === c0) {
      for (let i = 1; i < ${shared.length}; i++) at += 4 + Math.max(0, bytes.readInt32BE(at))
      ${own.map(read).join('')}
      return ${object((i) => (i < shared.length ? `previous[${JSON.stringify(names[i])}]` : `c${i}`))}
    }`
  const body = `
    return (bytes, start, previous) => {
      let at = start + 2, length
      ${names.length > 0 ? read(0) : ''}
      ${shared.length > 0 ? repeated : ''}
      ${others.map(read).join('')}
      return ${object((i) => `c${i}`)}
    }`
  // oxlint-disable-next-line typescript/no-implied-eval -- The text consists of our own column names.
  const make = new Function(...names.map((_, i) => `d${i}`), body) as (...decoders: unknown[]) => RowDecoder<C>
  return make(...names.map((name) => columns[name]?.decode))
}
