/**
 * The messages of PostgreSQL's protocol (version 3, chapter "Message Formats"), as bytes.
 * Everything sent in one turn of the event loop is written at once, and messages are read where they lie.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Statement } from '../statement.ts'

/** The messages from the server that matter here. */
export const kinds = {
  commandComplete: 0x43, // C
  dataRow: 0x44, // D
  error: 0x45, // E
  notice: 0x4e, // N
  parseComplete: 0x31, // 1
  readyForQuery: 0x5a, // Z
  rowDescription: 0x54, // T
}

/** Splits the incoming bytes into messages: one byte for the kind, four for the length, then the body. */
export function reader(
  receive: (kind: number, bytes: Buffer, start: number, end: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer | undefined
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (at + 5 <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) break
      receive(bytes.readUInt8(at), bytes, at + 5, end)
      at = end
    }
    rest = at === bytes.length ? undefined : bytes.subarray(at)
  }
}

const bufferBytes = 16 * 1024 // More than one turn of the event loop usually sends.

/** Collects messages and writes them together at the end of the current turn of the event loop. */
export class Writer {
  readonly #stream: Socket
  #bytes = Buffer.allocUnsafeSlow(bufferBytes)
  #length = 0

  constructor(stream: Socket) {
    this.#stream = stream
  }

  parse({ name, text }: Statement): void {
    const parse = this.#begin('P')
    this.#cstring(name)
    this.#cstring(`/* ${name} */ ${text}`) // Administrators see the name in pg_stat_activity and in the server's log.
    this.#int16(0) // PostgreSQL infers the parameters' types.
    this.#end(parse)
    const describe = this.#begin('D')
    this.#byte('S')
    this.#cstring(name)
    this.#end(describe)
  }

  /** Drops a prepared statement; no error if there is none. */
  closeStatement(name: string): void {
    const close = this.#begin('C')
    this.#byte('S')
    this.#cstring(name)
    this.#end(close)
  }

  run({ name }: Statement, values: readonly (string | null)[]): void {
    const bind = this.#begin('B')
    this.#cstring('') // The unnamed portal.
    this.#cstring(name)
    this.#int16(0) // All parameters are text.
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0) // All results are text.
    this.#end(bind)
    const execute = this.#begin('E')
    this.#cstring('')
    this.#int32(0) // All rows.
    this.#end(execute)
    this.#end(this.#begin('S'))
  }

  /** A message's length follows its kind and includes itself. */
  #begin(kind: string): number {
    this.#byte(kind)
    this.#int32(0)
    return this.#length - 4
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#length - start, start)
  }

  #value(value: string | null): void {
    if (value === null) {
      this.#int32(-1)
      return
    }
    const start = this.#length
    this.#int32(0)
    this.#text(value)
    this.#bytes.writeInt32BE(this.#length - start - 4, start)
  }

  #cstring(text: string): void {
    this.#text(text)
    this.#byte('\0')
  }

  #text(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#bytes.write(text, this.#length)
  }

  #byte(character: string): void {
    this.#reserve(1)
    this.#length = this.#bytes.writeUInt8(character.charCodeAt(0), this.#length)
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(value, this.#length)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #reserve(length: number): void {
    if (this.#length === 0) setImmediate(() => this.#flush())
    if (this.#length + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#length + length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  /** The socket may keep the buffer it is given, so it gets a copy of exact size: whole buffers would pile up until the next GC. */
  #flush(): void {
    const message = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(message, 0, 0, this.#length)
    this.#stream.write(message)
    if (this.#bytes.length > bufferBytes) this.#bytes = Buffer.allocUnsafeSlow(bufferBytes)
    this.#length = 0
  }
}

/** A row description has each column's name, followed by 18 bytes about its type. */
export function columnNames(bytes: Buffer, start: number): string[] {
  let at = start + 2
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const end = bytes.indexOf(0, at)
    const name = bytes.toString('utf8', at, end)
    at = end + 1 + 18
    return name
  })
}

/** Each field of an error is a letter and a text. */
export function errorOf(bytes: Buffer, start: number, end: number): pg.DatabaseError {
  const fields = new Map<string, string>()
  for (const field of bytes.toString('utf8', start, end).split('\0')) fields.set(field.charAt(0), field.slice(1))
  const error = new pg.DatabaseError(
    fields.get('M') ?? 'PostgreSQL reported an error without a message',
    end - start,
    'error',
  )
  return Object.assign(error, {
    severity: fields.get('V'), // In English, whatever the language of the messages.
    code: fields.get('C'),
    detail: fields.get('D'),
    where: fields.get('W'),
    constraint: fields.get('n'),
    routine: fields.get('R'),
  })
}
