/** Reads rows from a stream of bytes: lines of JSON, or CSV whose first line names the columns. */
import type { Readable } from 'node:stream'
import { announcedSeparator, csvReader, readCsvRecord, separatorOf, type CsvRecord } from '../input/csv.ts'
import type { Field, Fields } from '../input/fields.ts'
import { printable } from '../vocabulary/printable.ts'
import { addProblem, addUnknown, parseJson, problemsMax, readField, readFields } from '../input/read-input.ts'
import { Refusal, refusalError, type RefusalError } from '../vocabulary/refusals.ts'
import { withoutApostrophes } from '../input/write-csv.ts'
import { decimalOf, inUtf8, type FileFormat } from './file-format.ts'
import type { ImportRow } from './kinds/kinds.ts'

export interface ReadRow {
  /** Line on which it begins, counted from 1. */
  readonly line: number
  readonly row: ImportRow
  /** Its problems; with any, the row must not be used. */
  readonly problems: readonly RefusalError[]
}

export const rowMedia = { csv: 'text/csv', ndjson: 'application/x-ndjson' }
const lineLengthMax = 64 * 1024 // Rows have a few hundred characters; an endless line would fill the memory.

const sampleLength = 32 * 1024 // Characters, from which the form of a CSV file is detected: several hundred rows.

/**
 * Several at a time, as they arrive. `found` has what the sender says of the file's form, and gets what is detected.
 */
export async function* readRows(
  body: Readable,
  { media, fields }: { media: string; fields: Fields },
  found: FileFormat,
): AsyncGenerator<readonly ReadRow[]> {
  const isCsv = media === rowMedia.csv
  const lines = linesOf(inUtf8(body, isCsv, found))
  if (!isCsv) {
    for await (const some of lines) yield some.flatMap(jsonReader(fields).read)
    return
  }
  const sample: Line[] = []
  let reader: RowReader | undefined
  let length = 0
  for await (const some of lines) {
    if (reader === undefined) {
      for (const line of some) sample.push(line)
      length += some.reduce((sum, { text }) => sum + text.length, 0)
      if (length < sampleLength) continue
      reader = csvRowReader(fields, detect(sample, fields, found))
      yield sample.flatMap(reader.read)
    } else yield some.flatMap(reader.read)
  }
  if (reader === undefined) {
    reader = csvRowReader(fields, detect(sample, fields, found))
    yield sample.flatMap(reader.read)
  }
  yield reader.end()
}

interface CsvForm {
  readonly separator: string
  readonly decimalComma: boolean
}

/** Drops a line `sep=;` from the sample. */
function detect(sample: Line[], fields: Fields, found: FileFormat): CsvForm {
  const announced = announcedSeparator(sample[0]?.text ?? '')
  if (announced !== undefined) sample.shift()
  const first = sample.find(({ text }) => text.trim() !== '')
  found.separator ??= announced ?? separatorOf(first?.text ?? '')
  const { separator } = found
  const records = sample.map(({ text }) => readCsvRecord(text, separator))
  const names = records.find((record) => typeof record !== 'string' && record.join('').trim() !== '') ?? []
  // A file may name a column like a property that every object has.
  const known = (name = ''): Field<unknown> | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined)
  const numbers = typeof names === 'string' ? [] : [...names.keys()].filter((at) => isNumber(known(names[at])))
  found.decimal ??= decimalOf(records.flatMap((record) => numbers.map((at) => record[at] ?? '')))
  return { separator, decimalComma: found.decimal === 'comma' }
}

const isNumber = (field: Field<unknown> | undefined): boolean => field?.schema.type === 'number'

interface Line {
  readonly number: number
  readonly text: string
  readonly readable: boolean
}

/** Turns lines into rows: a row may take several lines. */
interface RowReader {
  readonly read: (line: Line) => ReadRow | readonly ReadRow[]
  /** The rest when there are no more lines. */
  readonly end: () => readonly ReadRow[]
}

const none: readonly ReadRow[] = []

function jsonReader(fields: Fields): RowReader {
  return {
    end: () => none,
    read: ({ number: line, text, readable }) => {
      if (!readable) return badRow(line, 'it is not UTF-8')
      if (text.trim() === '') return none
      const problems: RefusalError[] = []
      const sent = parseJson(text, fields, problems)
      if (typeof sent === 'string') return badRow(line, `it is ${sent}`)
      const row = readFields(fields, sent, problems)
      return { line, row, problems: problems.slice(0, problemsMax) }
    },
  }
}

/** The first line names the columns. */
function csvRowReader(fields: Fields, form: CsvForm): RowReader {
  const { read, end } = csvReader(form.separator)
  let columns: readonly Column[] | undefined

  function rowsOf(records: readonly CsvRecord[]): readonly ReadRow[] {
    return records.flatMap(({ line, cells }) => {
      if (columns === undefined) {
        columns = columnsOf(cells, fields)
        return []
      }
      if (typeof cells === 'string') return badRow(line, cells)
      if (cells.length !== columns.length)
        return badRow(line, `it has ${cells.length} fields, and the first line names ${columns.length}`)
      return csvRow(line, columns, cells, form)
    })
  }

  return {
    end: () => rowsOf(end()),
    read: ({ number, text, readable }) =>
      readable ? rowsOf(read(number, text)) : [...rowsOf(end()), badRow(number, 'it is not UTF-8')],
  }
}

interface Column {
  readonly name: string
  readonly field: Field<unknown>
}

function csvRow(
  line: number,
  columns: readonly Column[],
  values: readonly string[],
  { decimalComma }: CsvForm,
): ReadRow {
  const problems: RefusalError[] = []
  const row: Record<string, unknown> = {}
  for (const [at, { name, field }] of columns.entries()) {
    const raw = withoutApostrophes(values[at] ?? '')
    row[name] = isNumber(field)
      ? readNumber(name, field, raw, decimalComma, problems)
      : readField(name, field, raw, problems)
  }
  return { line, row, problems }
}

function readNumber(
  name: string,
  field: Field<unknown>,
  raw: string,
  decimalComma: boolean,
  problems: RefusalError[],
): unknown {
  const [own, other] = decimalComma ? [',', '.'] : ['.', ',']
  if (!raw.includes(other)) return readField(name, field, raw.replace(own, '.'), problems)
  const [used, instead] = decimalComma ? ['commas', 'point'] : ['points', 'comma']
  const rule = `${field.rule}; the file was read with decimal ${used} (decimal=${instead} reads it with the other sign)`
  addProblem(problems, 'field_invalid', { field: name, value: printable(raw), rule })
  return undefined
}

/** The first line must name known columns and all required ones; otherwise nothing after it could be read. */
function columnsOf(cells: readonly string[] | string, fields: Fields): readonly Column[] {
  const names = typeof cells === 'string' ? [] : cells.map((name) => name.trim())
  const known = Object.keys(fields)
  const problems: RefusalError[] = []
  const unknown = names.filter((name) => !known.includes(name))
  addUnknown(unknown, { place: 'body', known }, problems)
  for (const [field, same] of Map.groupBy(names, (name) => name))
    if (same.length > 1) addProblem(problems, 'field_repeated', { field: printable(field) })
  for (const field of known.filter((name) => fields[name]?.required === true && !names.includes(name)))
    addProblem(problems, 'field_missing', { field })
  if (problems.length > 0) throw new Refusal(problems)
  return names.map((name) => ({ name, field: fields[name] as Field<unknown> }))
}

/** Lines as they arrive, several at a time. A line feed ends each; a carriage return before it is dropped. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const cut = (bytes: Buffer): Line[] =>
    textsOf(bytes).map(({ text, readable }) => ({
      number: ++number,
      text: (number === 1 ? text.replace(/^\u{FEFF}/u, '') : text).replace(/\r$/, ''),
      readable,
    }))
  for await (const chunk of body) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (rest.length > lineLengthMax) throw tooLong(number + 1)
    if (end >= 0) yield cut(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield cut(rest)
}

/** Decodes all lines at once, which is fast, and one by one only when one of them is invalid. */
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const badRow = (line: number, reason: string): ReadRow => ({
  line,
  row: {},
  problems: [refusalError('row_malformed', { reason })],
})
const tooLong = (line: number): Refusal =>
  new Refusal('malformed_request', { reason: `line ${line} is longer than ${lineLengthMax} bytes` })
