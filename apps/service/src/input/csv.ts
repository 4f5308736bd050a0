/** Reads CSV: from lines to records, and what separates their fields. */

export interface CsvRecord {
  /** On which it begins. */
  readonly line: number
  /** The fields, or why they cannot be told apart. */
  readonly cells: readonly string[] | string
}

const unended = 'a quoted field does not end'
const recordLinesMax = 20 // No field may contain a line feed, so a longer record means a forgotten quote.
const recordLengthMax = 64 * 1024 // The same: rows have a few hundred characters. All of it is read again with each line.

/**
 * Reads line by line, so that a file need not fit into memory. Blank lines are left out. A record may span several lines;
 * one that does not end is a bad line, and reading continues with the next.
 */
export function csvReader(separator: string) {
  let begun: { readonly line: number; readonly text: string }[] = [] // Of a record that has not ended.

  /** The records that end with this line. */
  function read(line: number, text: string): CsvRecord[] {
    if (begun.length === 0 && text.trim() === '') return []
    begun.push({ line, text })
    const whole = begun.map((part) => part.text).join('\n')
    const cells = readCsvRecord(whole, separator)
    if (cells === 'broken') return refuseFirst('a quote stands within a field')
    if (cells === 'unfinished')
      return begun.length < recordLinesMax && whole.length <= recordLengthMax ? [] : refuseFirst(unended)
    const [first = { line }] = begun
    begun = []
    return [{ line: first.line, cells }]
  }

  /** The first line is bad; those after it are read again. */
  function refuseFirst(cells: string): CsvRecord[] {
    const [first, ...others] = begun
    begun = []
    return [...(first ? [{ line: first.line, cells }] : []), ...others.flatMap(({ line, text }) => read(line, text))]
  }

  /** What is left when there are no more lines. */
  function end(): CsvRecord[] {
    const left: CsvRecord[] = []
    while (begun.length > 0) left.push(...refuseFirst(unended))
    return left
  }

  return { read, end }
}

/** One CSV record by RFC 4180: quotes around fields that contain separators, quotes or line feeds. */
export function readCsvRecord(text: string, separator = ','): string[] | 'unfinished' | 'broken' {
  if (!text.includes('"')) return text.split(separator)
  const fields: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1)
      if (end === -1) return 'unfinished'
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'))
      at = end + 1
    } else {
      const end = text.indexOf(separator, at)
      const field = text.slice(at, end === -1 ? text.length : end)
      if (field.includes('"')) return 'broken'
      fields.push(field)
      at += field.length
    }
    if (at === text.length) return fields
    if (text[at] !== separator) return 'broken'
    at++
  }
}

/** What separates the fields of a first line. A semicolon comes before a comma, because a comma may be a decimal comma. */
export function separatorOf(line: string): string {
  const bare = line.replaceAll(/"[^"]*"/g, '')
  return ['\t', ';'].find((separator) => bare.includes(separator)) ?? ','
}

/** A first line such as `sep=;`, which spreadsheets write and understand. */
export const announcedSeparator = (line: string): string | undefined => /^sep=(.)$/i.exec(line)?.[1]

/** Two quotes in a row stand for one and do not close the field. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}
