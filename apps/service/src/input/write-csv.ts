/** Writes CSV by RFC 4180 for programs and spreadsheets. The columns are the properties of a schema. */
import type { TSchema } from 'typebox'

export interface CsvForm {
  readonly separator: string
  readonly decimalComma: boolean
  /** Whether the file begins with a byte order mark. */
  readonly bom: boolean
}

export interface CsvColumn {
  /** Of a property within an object: `order_contract.contract_id`. */
  readonly name: string
  readonly path: readonly string[]
  /** The value with the members that its schema declares and no others, in their order, as JSON answers have it. */
  readonly declared: (value: unknown) => unknown
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const depthMax = 5 // No answer is deeper; a schema that contains itself would never end.

/** One column for each property; those of an object within the row follow its name. A list is one column, as JSON. */
export function csvColumns(schema: TSchema, find: (name: string) => TSchema): CsvColumn[] {
  const resolved = ({ $ref, ...rest }: Schema): Schema => ($ref === undefined ? rest : find($ref.replace(/#$/, '')))
  const columnsOf = (of: Schema, path: readonly string[]): CsvColumn[] => {
    const { properties } = objectIn(of) ?? {}
    if (properties === undefined || path.length === depthMax)
      return [{ name: path.join('.'), path, declared: (value) => declaredIn(of, value) }]
    return Object.entries(properties).flatMap(([name, property]) => columnsOf(property, [...path, name]))
  }
  const objectIn = (of: Schema): Schema | undefined => {
    const one = resolved(of)
    if (one.properties !== undefined && Object.keys(one.properties).length > 0) return one
    return one.anyOf?.map(objectIn).find((found) => found !== undefined)
  }
  const declaredIn = (of: Schema, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const { items } = resolved(of)
    if (Array.isArray(value)) return items === undefined ? value : value.map((one) => declaredIn(items, one))
    const members = Object.entries(objectIn(of)?.properties ?? {})
    const shown = members.filter(([name]) => name in value)
    if (members.length === 0) return value
    return Object.fromEntries(shown.map(([name, member]) => [name, declaredIn(member, Object(value)[name])]))
  }
  return columnsOf(schema, [])
}

export function csvRow(row: unknown, columns: readonly CsvColumn[], form: CsvForm): string {
  return csvLine(
    columns.map(({ path, declared }) => declared(valueAt(row, path))),
    form,
  )
}

export const csvLine = (values: readonly unknown[], form: CsvForm): string =>
  `${values.map((value) => cellOf(value, form)).join(form.separator)}\r\n`

const valueAt = (row: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    row,
  )

function cellOf(value: unknown, { separator, decimalComma }: CsvForm): string {
  if (value === null || value === undefined) return ''
  const text =
    typeof value === 'number'
      ? plainNumber(value, decimalComma)
      : typeof value === 'string'
        ? harmless(value)
        : JSON.stringify(value, (_name, member: unknown) => (typeof member === 'string' ? harmless(member) : member))
  return text.includes(separator) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function plainNumber(value: number, decimalComma: boolean): string {
  const short = String(value)
  const text = short.includes('e-') ? value.toFixed(20).replace(/0+$/, '') : short
  return decimalComma ? text.replace('.', ',') : text
}

/**
 * Spreadsheets calculate a cell that begins with one of these, even in quotes or after a space, and a formula may send
 * data elsewhere. An apostrophe before it makes it text. A spreadsheet that splits at another character than the file's
 * separator begins a cell after that one, whatever quotes surround the text, so each part of a text counts as a cell.
 * Numbers are written by us, and stay numbers when they are negative.
 */
const formula = `[ "']*[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]` // The last four are their full-width forms.
const cellBegins = '(^|[,;|\\t\\r\\n])'
const beforeFormula = new RegExp(`${cellBegins}(?=${formula})`, 'g')
const apostropheBeforeFormula = new RegExp(`${cellBegins}'(?=${formula})`, 'g')

const harmless = (text: string): string => text.replace(beforeFormula, "$1'")

/** Takes back what `harmless` has added, and nothing else, so that an exported file can be imported. */
export const withoutApostrophes = (text: string): string => text.replace(apostropheBeforeFormula, '$1')
