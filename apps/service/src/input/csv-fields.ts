/** What a caller may say about CSV: of a list that it reads, and of a file that it sends. */
import { choice, flag, optional, type Field, type FieldValues } from './fields.ts'
import type { CsvForm } from './write-csv.ts'

export const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
type SeparatorName = keyof typeof separators

/** What separates the columns of CSV, by name or as the character itself. */
export const csvSeparator: Field<SeparatorName> = {
  ...choice<SeparatorName>(['comma', 'semicolon', 'tab'], {
    description: 'What separates the columns, by name or as the character.',
    example: 'semicolon',
  }),
  rule: 'one of comma, semicolon, tab, or the character itself',
  read: (raw) =>
    (Object.keys(separators) as SeparatorName[]).find((name) => name === raw.toLowerCase() || separators[name] === raw),
}

const separator: Field<SeparatorName> = {
  ...csvSeparator,
  schema: {
    ...csvSeparator.schema,
    description:
      'For CSV: what separates the columns, by name or as the character. By default a comma, or a semicolon with a decimal comma.',
  },
}

export const csvFields = {
  csv_separator: optional(separator),
  csv_decimal: optional(
    choice<'point' | 'comma'>(['point', 'comma'], {
      description: 'For CSV: what stands before decimal places; a point by default.',
      example: 'comma',
    }),
  ),
  csv_bom: optional(
    flag({
      description: 'For CSV: begins the file with a byte order mark, by which Excel recognises UTF-8.',
      example: true,
    }),
  ),
}

export function csvFormOf(query: Readonly<Record<string, unknown>>): CsvForm {
  const { csv_separator, csv_decimal = 'point', csv_bom = false } = query as FieldValues<typeof csvFields>
  const separatorName = csv_separator ?? (csv_decimal === 'comma' ? 'semicolon' : 'comma')
  return { separator: separators[separatorName], decimalComma: csv_decimal === 'comma', bom: csv_bom }
}

/** The query that the operation reads: what concerns CSV only is not part of it. */
export function withoutCsvFields(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !(name in csvFields)))
}
