/** What a caller may choose about a list as CSV. */
import { csvSeparator, separators, type SeparatorName } from './csv-separator.ts'
import { choice, flag, optional, type Field, type FieldValues } from './fields.ts'
import type { CsvForm } from './write-csv.ts'

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
