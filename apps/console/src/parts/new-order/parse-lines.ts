/**
 * Lines of an order as people type or paste them: `BN-280-V 4`, `4 x BN-280-V`, `BN-280-V 4 Bremsen Nord`, or cells of a
 * spreadsheet, of which a heading may say what they are.
 */
export interface ParsedLine {
  readonly article: string
  /** As it was written: it may be no quantity. */
  readonly quantity: string
  readonly brand: string
}

type Column = keyof ParsedLine

const columnNames: Readonly<Record<Column, RegExp>> = {
  article: /^(article|sku|code|part|item|artikel|art\b|teile|артикул|код)/i,
  quantity: /^(q(uanti)?ty|pcs|pieces|menge|anzahl|stück|stk|кол)/i,
  brand: /^(brand|make|manufacturer|marke|hersteller|бренд|марка|производитель)/i,
}

const isQuantity = (cell: string): boolean => /^\d{1,7}([.,]00?)?$/.test(cell)

export function parseLines(text: string): ParsedLine[] {
  const rows = text
    .split(/\r?\n/)
    .filter((row) => row.trim() !== '')
    .map(cellsOf)
  const heading = columnsOf(rows[0] ?? [])
  if (heading !== undefined) return rows.slice(1).map((cells) => byColumn(cells, heading))
  return rows.map((cells) => (cells.length > 1 ? byForm(cells) : plain(cells[0] ?? '')))
}

/** One cell if nothing separates them. */
function cellsOf(row: string): string[] {
  const separator = ['\t', ';', ','].find((one) => row.includes(one)) ?? '\t'
  const cells = row.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return separator !== ',' || (cells.length === 2 && cells.some(isQuantity)) ? cells : [row.trim()]
}

function columnsOf(cells: readonly string[]): Partial<Record<Column, number>> | undefined {
  if (cells.some(isQuantity)) return undefined
  const places = Object.entries(columnNames).map(([name, names]) => [name, cells.findIndex((cell) => names.test(cell))])
  const found = Object.fromEntries(places.filter(([, place]) => Number(place) >= 0)) as Partial<Record<Column, number>>
  return found.article === undefined || found.quantity === undefined ? undefined : found
}

function byColumn(cells: readonly string[], columns: Partial<Record<Column, number>>): ParsedLine {
  const cell = (name: Column): string => cells[columns[name] ?? -1] ?? ''
  return { article: cell('article'), quantity: whole(cell('quantity')), brand: cell('brand') }
}

/**
 * The last number is the quantity; of the other cells, a first one numbers the rows, the article has a digit, and the brand has
 * none.
 */
function byForm(cells: readonly string[]): ParsedLine {
  const at = cells.findLastIndex((cell, place) => place > 0 && isQuantity(cell))
  const named = cells.filter((cell, place) => place !== at && cell !== '')
  const isNumbered = /^\d{1,3}\.?$/.test(named[0] ?? '') && named.slice(1).some((cell) => /\d/.test(cell))
  const others = isNumbered ? named.slice(1) : named
  const article = others.find((cell) => /\d/.test(cell)) ?? others[0] ?? ''
  const brand = others.length === 2 ? others.find((cell) => cell !== article && !/\d/.test(cell)) : undefined
  return { article, quantity: at < 0 ? '1' : whole(cells[at] ?? ''), brand: brand ?? '' }
}

function plain(row: string): ParsedLine {
  const [, before, behind] = /^(\d{1,7})\s*[x×*]\s*(\S.*)$/i.exec(row) ?? []
  if (before !== undefined && behind !== undefined) return { article: behind, quantity: before, brand: '' }
  const [, article, quantity, brand = ''] =
    /^(.*\S)\s+[x×*]?\s?(\d{1,7})(?:\s*(?:x|×|pcs|stk|st|шт)\.?)?(?:\s+(\p{L}[\p{L} .&-]{2,}))?$/iu.exec(row) ?? []
  return { article: article ?? row, quantity: quantity ?? '1', brand }
}

const whole = (quantity: string): string => quantity.replace(/[.,]00?$/, '')
