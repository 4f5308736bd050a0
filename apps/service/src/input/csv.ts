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

export const recordLinesMax = 20 // No field may contain a line feed, so a longer record means a forgotten quote.

/** Two quotes in a row stand for one and do not close the field. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}
