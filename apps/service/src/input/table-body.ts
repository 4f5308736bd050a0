/** Reads a body that is a table of rows, as CSV from a spreadsheet or as JSON. Bad rows are kept with their problems. */
import { announcedSeparator, csvReader, separatorOf, type CsvRecord } from './csv.ts'
import type { Fields } from './fields.ts'
import { addProblem, membersAsTexts, readField, readFields, repeatedName } from './read-input.ts'
import { printable } from '../vocabulary/printable.ts'
import { refusalError, type RefusalError } from '../vocabulary/refusals.ts'

export interface TableShape {
  /** The fields of a row; rows of JSON have these names. */
  readonly fields: Fields
  /** Other names of columns in CSV, in lower case and without anything but letters and digits. */
  readonly otherNames: Readonly<Record<string, readonly string[]>>
  /** The columns of a file whose first line does not name them. */
  readonly order: readonly string[]
  /** A file that names its columns must have at least one of these. */
  readonly oneOf: readonly string[]
  readonly rowsMax: number
}

export interface SentTable {
  readonly bytes: Uint8Array
  readonly media: string
  readonly charset: string | undefined
}

export interface TableRow {
  /** The line of a file, or the position in an array, counted from 1. */
  readonly row: number
  readonly values: Readonly<Record<string, unknown>>
  /** With any, the values are incomplete. */
  readonly problems: readonly RefusalError[]
}

export interface Table {
  readonly rows: readonly TableRow[]
  /** Columns of a file whose names are not known. */
  readonly ignored_columns: readonly string[]
}

export const tableMedia = { csv: 'text/csv', tsv: 'text/tab-separated-values', json: 'application/json' }
const rowProblemsMax = 5 // As many as a row has fields. A thousand rows of unknown members would otherwise give 2 MB.
const ignoredColumnsMax = 50 // More than a person reads.

/** Adds to `problems` what prevents the table from being read at all. */
export function readTable(sent: SentTable | undefined, shape: TableShape, problems: RefusalError[]): Table {
  const decoded = sent === undefined ? { text: '' } : decodeText(sent.bytes, sent.charset)
  if ('reason' in decoded) {
    addProblem(problems, 'malformed_request', decoded)
    return emptyTable
  }
  const { text } = decoded
  const table = sent?.media === tableMedia.json ? readJson(text, shape, problems) : readCsv(text, sent, shape, problems)
  if (table.rows.length === 0 && problems.length === 0) addProblem(problems, 'field_missing', { field: 'rows' })
  if (table.rows.length > shape.rowsMax) addProblem(problems, 'too_many_rows', { rows_max: shape.rowsMax })
  return table
}

const emptyTable: Table = { rows: [], ignored_columns: [] }

/** The text as spreadsheets save it: UTF-8 and UTF-16 with a byte order mark, or the encoding that is named. Or the reason why it cannot be read. */
function decodeText(bytes: Uint8Array, charset: string | undefined): { text: string } | { reason: string } {
  const encoding = markedEncoding(bytes) ?? charset ?? 'utf-8'
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    return { reason: error instanceof RangeError ? unknownCharset(encoding) : wrongCharset(encoding) }
  }
  return text.includes('\0') ? { reason: `the body has NUL characters, as UTF-16 does ${whatToDo}` } : { text }
}

/** A byte order mark says more than the header, which programs often send unchanged. */
function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb ? 'utf-8' : undefined
}

const whatToDo = `(save the file as "CSV UTF-8", or name its encoding in the Content-Type, as in text/csv; charset=windows-1252)`

const unknownCharset = (charset: string): string => `the charset '${charset}' is unknown ${whatToDo}`
const wrongCharset = (encoding: string): string => `the body is not ${encoding.toUpperCase()} ${whatToDo}`

function readJson(text: string, { fields, rowsMax }: TableShape, problems: RefusalError[]): Table {
  const rows = text.trim() === '' ? [] : rowsOfJson(text)
  if (rows === undefined) {
    const reason = 'the body is neither a JSON array of rows nor a JSON object with only the member rows'
    addProblem(problems, 'malformed_request', { reason })
    return emptyTable
  }
  const repeated = rows.length === 0 ? undefined : repeatedName(text)
  if (repeated !== undefined) addProblem(problems, 'field_repeated', { field: printable(repeated) })
  const read = rows.slice(0, rowsMax + 1).map((given, at): TableRow => {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      return badRow(at + 1, 'it is not a JSON object')
    const found: RefusalError[] = []
    const values = readFields(fields, membersAsTexts(given, fields, found), found)
    return { row: at + 1, values, problems: found.slice(0, rowProblemsMax) }
  })
  return { rows: read, ignored_columns: [] }
}

function rowsOfJson(text: string): unknown[] | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (Array.isArray(parsed)) return parsed
  if (typeof parsed !== 'object' || parsed === null || !('rows' in parsed)) return undefined
  return Object.keys(parsed).length === 1 && Array.isArray(parsed.rows) ? parsed.rows : undefined
}

function readCsv(text: string, sent: SentTable | undefined, shape: TableShape, problems: RefusalError[]): Table {
  const records = recordsOf(text, sent?.media === tableMedia.tsv ? '\t' : undefined, shape.rowsMax + 2)
  const names = records[0]?.cells ?? []
  const columns = typeof names === 'string' ? undefined : namedColumns(names, shape, problems)
  if (typeof names === 'string' || columns === undefined) {
    const inOrder = { places: new Map(shape.order.map((field, at) => [field, at])), count: shape.order.length }
    return { rows: records.map((record) => rowOf(record, inOrder, shape)), ignored_columns: [] }
  }
  const known = new Set(columns.places.values())
  const ignored = names.filter((name, at) => name !== '' && !known.has(at))
  return {
    rows: records.slice(1).map((record) => rowOf(record, columns, shape)),
    ignored_columns: ignored.slice(0, ignoredColumnsMax).map(printable),
  }
}

/** The records that are not empty, at most this many. */
function recordsOf(text: string, separator: string | undefined, max: number): CsvRecord[] {
  const lines = text.split(/\r\n|[\n\r]/)
  const announced = announcedSeparator(lines[0] ?? '')
  const reader = csvReader(announced ?? separator ?? separatorOf(lines.find((line) => /[\t;,]/.test(line)) ?? ''))
  const records: CsvRecord[] = []
  const add = (read: CsvRecord[]): void => {
    for (const { line, cells: raw } of read) {
      const cells = typeof raw === 'string' ? raw : raw.map((cell) => cell.trim())
      if (typeof cells === 'string' || cells.some((cell) => cell !== '')) records.push({ line, cells })
    }
  }
  for (let at = announced === undefined ? 0 : 1; at < lines.length && records.length < max; at++)
    add(reader.read(at + 1, lines[at] ?? ''))
  add(reader.end())
  return records.slice(0, max)
}

/** Where each field is in a record. */
interface Columns {
  readonly places: ReadonlyMap<string, number>
  readonly count: number
}

/** Undefined if the first line names no column. */
function namedColumns(names: readonly string[], shape: TableShape, problems: RefusalError[]): Columns | undefined {
  const { fields, otherNames } = shape
  const known = new Map(
    Object.keys(fields).flatMap((field) => [field, ...(otherNames[field] ?? [])].map((name) => [plain(name), field])),
  )
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [at, name] of names.entries()) {
    const field = known.get(plain(name))
    if (field === undefined) continue
    if (places.has(field)) repeated.add(field)
    else places.set(field, at)
  }
  if (places.size === 0) return undefined
  for (const field of repeated) addProblem(problems, 'field_repeated', { field })
  refuseMissing(places, shape, problems)
  return { places, count: names.length }
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function refuseMissing(
  places: ReadonlyMap<string, number>,
  { fields, otherNames, oneOf }: TableShape,
  problems: RefusalError[],
): void {
  const needed = Object.keys(fields).filter((field) => fields[field]?.required)
  for (const choices of [oneOf, ...needed.map((field) => [field])]) {
    if (choices.some((field) => places.has(field))) continue
    const names = choices.flatMap((field) => [field, ...(otherNames[field] ?? []).slice(0, 3)])
    const reason = `the first line names no column for the ${choices[0]}, such as ${names.join(', ')}`
    addProblem(problems, 'malformed_request', { reason })
  }
}

function rowOf({ line, cells }: CsvRecord, { places, count }: Columns, { fields }: TableShape): TableRow {
  if (typeof cells === 'string') return badRow(line, cells)
  if (cells.slice(count).some((cell) => cell !== ''))
    return badRow(line, `it has ${cells.length} fields, and there are ${count} columns`)
  const problems: RefusalError[] = []
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = readField(name, field, cells[places.get(name) ?? -1] ?? '', problems)
    if (value !== undefined) values[name] = value
  }
  return { row: line, values, problems }
}

const badRow = (row: number, reason: string): TableRow => ({
  row,
  values: {},
  problems: [refusalError('row_malformed', { reason })],
})
