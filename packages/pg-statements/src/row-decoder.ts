import type { Shape, Values } from './types.ts'

/** Makes an object of the row that lies in `bytes` at `start`. */
export type RowDecoder<C extends Shape> = (this: void, bytes: Buffer, start: number) => Values<C>

/**
 * Generates the function that decodes a row. Each column is its length in four bytes (-1 for null) and its text.
 * `names` are the columns in the order PostgreSQL sends them.
 * An object literal with all keys known is several times cheaper than one filled by name, hence the generated function.
 */
export function makeRowDecoder<C extends Shape>(columns: C, names: readonly string[]): RowDecoder<C> {
  const read = (i: number): string => `
      length = bytes.readInt32BE(at)
      const c${i} = length === -1 ? null : d${i}(bytes, at + 4, at + 4 + length)
      at += length === -1 ? 4 : 4 + length`
  const body = `
    return (bytes, start) => {
      let at = start + 2, length
      ${names.map((_, i) => read(i)).join('')}
      return { ${names.map((name, i) => `${JSON.stringify(name)}: c${i}`).join(', ')} }
    }`
  // oxlint-disable-next-line typescript/no-implied-eval -- The text consists of our own column names.
  const make = new Function(...names.map((_, i) => `d${i}`), body) as (...decoders: unknown[]) => RowDecoder<C>
  return make(...names.map((name) => columns[name]?.decode))
}
