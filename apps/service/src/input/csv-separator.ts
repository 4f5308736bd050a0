import { choice, type Field } from './fields.ts'

export const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
export type SeparatorName = keyof typeof separators

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
