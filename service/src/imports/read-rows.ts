/** Rows out of a stream of bytes: lines of JSON, or CSV whose first line names the columns. */
import type { Readable } from 'node:stream'
import { readCsvRecord } from './csv.ts'
import { readFields, type Fields, type Sent } from '../http/fields.ts'
import { parseJson } from '../http/json-body.ts'
import { Refusal, refusalError, type RefusalError } from '../refusals.ts'
import type { Row } from './kinds.ts'

export interface ReadRow {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly row: Row
  /** What is wrong with it; then the row is not to be used. */
  readonly problems: readonly RefusalError[]
}

export const rowMedia = { csv: 'text/csv', ndjson: 'application/x-ndjson' }
const lineLengthMax = 64 * 1024 // No row has more than a few hundred characters; without an end, a line would fill the memory.

export async function* readRows(body: Readable, media: string, fields: Fields): AsyncGenerator<ReadRow> {
  if (media === rowMedia.csv) yield* csvRows(linesOf(body), fields)
  else yield* jsonRows(linesOf(body), fields)
}

interface Line {
  readonly number: number
  readonly text: string
  readonly readable: boolean
}

async function* jsonRows(lines: AsyncIterable<readonly Line[]>, fields: Fields): AsyncGenerator<ReadRow> {
  for await (const some of lines) {
    for (const { number, text, readable } of some) {
      if (readable && text.trim() === '') continue
      if (!readable) {
        yield { line: number, row: {}, problems: [notUtf8()] }
        continue
      }
      const problems: RefusalError[] = []
      const sent = parseJson(text, fields, problems)
      if (problems.some(({ code }) => code === 'malformed_request'))
        yield { line: number, row: {}, problems: [malformed('it is not a JSON object')] }
      else yield rowOf(number, fields, sent, problems)
    }
  }
}

async function* csvRows(lines: AsyncIterable<readonly Line[]>, fields: Fields): AsyncGenerator<ReadRow> {
  let names: readonly string[] | undefined
  let begun: { line: number; text: string } | undefined
  for await (const some of lines) {
    for (const { number, text, readable } of some) {
      if (!readable) {
        begun = undefined
        yield { line: number, row: {}, problems: [notUtf8()] }
        continue
      }
      if (begun === undefined && text.trim() === '') continue
      const { line, text: whole } =
        begun === undefined ? { line: number, text } : { ...begun, text: `${begun.text}\n${text}` }
      const values = readCsvRecord(whole)
      if (values === 'unfinished') {
        if (whole.length > lineLengthMax) throw tooLong(line)
        begun = { line, text: whole }
        continue
      }
      begun = undefined
      if (names === undefined) names = columnNames(values, fields)
      else if (values === 'broken' || values.length !== names.length)
        yield { line, row: {}, problems: [malformed(csvReason(values, names))] }
      else yield rowOf(line, fields, sentOf(names, values), [])
    }
  }
  if (begun) yield { line: begun.line, row: {}, problems: [malformed('a quoted field does not end')] }
}

function csvReason(values: readonly string[] | 'broken', names: readonly string[]): string {
  return values === 'broken'
    ? 'a quote stands within a field'
    : `it has ${values.length} fields, and the first line names ${names.length}`
}

/** The first line has to name known columns, and all that are required: nothing after it could be read otherwise. */
function columnNames(values: readonly string[] | 'broken', fields: Fields): readonly string[] {
  const names = values === 'broken' ? [] : values.map((name) => name.trim())
  const known = Object.keys(fields)
  const problems = [
    ...names.filter((name) => !known.includes(name)).map((field) => refusalError('field_unknown', { field, known })),
    ...names.filter((name, at) => names.indexOf(name) < at).map((field) => refusalError('field_repeated', { field })),
    ...known
      .filter((name) => fields[name]?.required === true && !names.includes(name))
      .map((field) => refusalError('field_missing', { field })),
  ]
  if (problems.length > 0) throw new Refusal(problems)
  return names
}

const sentOf = (names: readonly string[], values: readonly string[]): Sent =>
  new Map(names.map((name, at) => [name, [values[at]]]))

function rowOf(line: number, fields: Fields, sent: Sent, problems: RefusalError[]): ReadRow {
  return { line, row: readFields(fields, sent, problems), problems }
}

/** Lines as they come, some at a time; a line feed ends each, and a carriage return before it does not count. */
async function* linesOf(body: Readable): AsyncGenerator<readonly Line[]> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const cut = (bytes: Buffer): Line[] =>
    textsOf(bytes).map(({ text, readable }) => ({ number: ++number, text: text.replace(/\r$/, ''), readable }))
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (rest.length > lineLengthMax) throw tooLong(number + 1)
    if (end >= 0) yield cut(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield cut(rest)
}

/** Decoded together, since that is fast; one by one only where one of them cannot be. */
function textsOf(bytes: Buffer): { text: string; readable: boolean }[] {
  try {
    return utf8
      .decode(bytes)
      .split('\n')
      .map((text) => ({ text, readable: true }))
  } catch {
    return bytes
      .toString('latin1')
      .split('\n')
      .map((line) => {
        try {
          return { text: utf8.decode(Buffer.from(line, 'latin1')), readable: true }
        } catch {
          return { text: '', readable: false }
        }
      })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const malformed = (reason: string): RefusalError => refusalError('row_malformed', { reason })
const notUtf8 = (): RefusalError => malformed('it is not UTF-8')
const tooLong = (line: number): Refusal =>
  new Refusal('malformed_request', { reason: `line ${line} is longer than ${lineLengthMax} bytes` })
