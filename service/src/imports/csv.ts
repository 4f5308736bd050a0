/** One CSV record by RFC 4180: commas between fields, quotes around fields that contain commas, quotes or line feeds. */
export function readCsvRecord(text: string): string[] | 'unfinished' | 'broken' {
  if (!text.includes('"')) return text.split(',')
  const fields: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1)
      if (end === -1) return 'unfinished'
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'))
      at = end + 1
    } else {
      const comma = text.indexOf(',', at)
      const field = text.slice(at, comma === -1 ? text.length : comma)
      if (field.includes('"')) return 'broken'
      fields.push(field)
      at += field.length
    }
    if (at === text.length) return fields
    if (text[at] !== ',') return 'broken'
    at++
  }
}

/** Two quotes in a row stand for one and do not close the field. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}
