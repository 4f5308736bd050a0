/** How a file of rows is written: its encoding, separator and decimal sign. What the sender does not say is detected. */
import type { Readable } from 'node:stream'
import { Refusal } from '../vocabulary/refusals.ts'

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1251'] as const
export type Encoding = (typeof encodings)[number]
export type Decimal = 'point' | 'comma'

/** What the sender says, or what was found. */
export interface FileFormat {
  encoding?: string | undefined
  separator?: string | undefined
  decimal?: Decimal | undefined
}

/**
 * The body in UTF-8. The first bytes tell UTF-16 and a byte order mark; as long as a file has only ASCII it may be
 * anything, so the first chunk with another character decides. `found` gets the encoding.
 */
export async function* inUtf8(body: Readable, guess: boolean, found: FileFormat): AsyncGenerator<Buffer> {
  let decoder = found.encoding === undefined ? undefined : decoderOf(found.encoding)
  let head: Buffer = Buffer.alloc(0)
  let begun = false
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let bytes = chunk
    if (!begun) {
      bytes = head = Buffer.concat([head, chunk])
      if (head.length < headBytes) continue
      begun = true
      decoder ??= begin(head, guess, found)
    }
    if (guess && found.encoding === undefined && !isAscii(bytes)) {
      found.encoding = guessedEncoding(bytes)
      decoder = decoderOf(found.encoding)
    }
    yield decoder === undefined ? bytes : decode(decoder, bytes, found)
  }
  if (!begun && head.length > 0) {
    decoder ??= begin(head, guess, found)
    if (guess && found.encoding === undefined && !isAscii(head)) found.encoding = guessedEncoding(head)
    decoder ??= found.encoding === undefined ? undefined : decoderOf(found.encoding)
    yield decoder === undefined ? head : decode(decoder, head, found)
  }
  found.encoding ??= 'utf-8'
}

const headBytes = 4 // Enough for a byte order mark, and for two characters of UTF-16.

function begin(head: Buffer, guess: boolean, found: FileFormat): TextDecoder | undefined {
  found.encoding = markedEncoding(head) ?? (guess ? undefined : 'utf-8')
  return found.encoding === undefined ? undefined : decoderOf(found.encoding)
}

/** Undefined for UTF-8, whose bytes stay as they are: a line that is not UTF-8 is then reported on its own. */
const decoderOf = (encoding: string): TextDecoder | undefined => {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true })
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    throw new Refusal('malformed_request', { reason: `the charset '${encoding.slice(0, 40)}' is unknown` })
  }
}

function decode(decoder: TextDecoder, bytes: Buffer, { encoding }: FileFormat): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: true }))
  } catch {
    throw new Refusal('malformed_request', { reason: `the body is not ${String(encoding).toUpperCase()}` })
  }
}

/** By the byte order mark, or by the zero byte of the first character, which is a letter of a column's name. */
function markedEncoding([first, second, third]: Buffer): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0 && second !== 0) return 'utf-16be'
  return first !== 0 && second === 0 ? 'utf-16le' : undefined
}

const isAscii = (bytes: Buffer): boolean => bytes.every((byte) => byte < 0x80)

/**
 * UTF-8 if most of the other characters are sequences of UTF-8, so that one broken character does not change the whole
 * file. Otherwise a code page of Windows: Cyrillic words are three or more letters in a row that are not ASCII, Western
 * ones have hardly more than two (as in `Größe`).
 */
export function guessedEncoding(bytes: Buffer): Encoding {
  let [sequences, others] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue
    const length = sequenceLength(bytes, at)
    if (length === 0) others++
    else sequences++
    at += Math.max(length - 1, 0)
  }
  if (sequences >= others) return 'utf-8'
  const runs = [...bytes.toString('latin1').matchAll(/[\xa8\xb8\xc0-\xff]+/g)].map(([run]) => run.length)
  const sum = (lengths: readonly number[]): number => lengths.reduce((all, length) => all + length, 0)
  return sum(runs.filter((length) => length > 2)) * 2 > sum(runs) ? 'windows-1251' : 'windows-1252'
}

/** How many bytes the character at this place has in UTF-8, or 0. One that is cut off at the end counts as whole. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  const length = first >= 0xf5 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const rest = bytes.subarray(at + 1, at + length)
  return length > 0 && rest.every((byte) => byte >= 0x80 && byte < 0xc0) ? length : 0
}

/**
 * The decimal sign of these numbers. A comma before three digits may separate thousands: it alone decides nothing, and
 * such a number is then refused instead of read a thousand times too small.
 */
export function decimalOf(cells: readonly string[]): Decimal {
  const has = (form: RegExp): boolean => cells.some((cell) => form.test(cell))
  return !has(/\./) && has(/^\d+,(\d{1,2}|\d{4,})$/) ? 'comma' : 'point'
}
