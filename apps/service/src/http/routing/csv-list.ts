/**
 * A list as CSV: with `Accept: text/csv` the whole list is sent, page by page, through the same operation as its JSON
 * form. A page is read when the caller has taken the one before it, so memory does not
 * grow with the list.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { csvColumns, csvLine, csvRow, type CsvColumn, type CsvForm } from '../../input/write-csv.ts'
import { pageAfter, pageSizeMax, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Route } from './route.ts'

/** Whether the caller prefers this media type to JSON. A caller that accepts anything gets JSON. */
export function prefers(media: string, accept: string | undefined): boolean {
  const weight = weightOf(media, accept)
  return weight > 0 && weight >= weightOf('application/json', accept)
}

/** Of a media type that is named, from 0 to 1. */
function weightOf(media: string, accept = ''): number {
  const weights = accept.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const [, weight = '1'] = parameters.map((text) => /^q\s*=\s*([\d.]+)$/.exec(text)).find((found) => found) ?? []
    return name === media ? Number(weight) : 0
  })
  return Math.max(...weights)
}

/** The columns of a list; `find` returns the schema with this `$id`. */
export function columnsOf({ paged, data }: Route, find: (name: string) => TSchema): CsvColumn[] {
  return csvColumns(paged === true ? data : (data as unknown as { items: TSchema }).items, find)
}

/** The list's name without its folders: `orders.csv`. Ids in the path are left out. */
export const csvFileName = ({ path }: Route): string =>
  `${path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? 'list'}.csv`

interface CsvList {
  readonly columns: readonly CsvColumn[]
  readonly form: CsvForm
  /** The first page. */
  readonly page: PageRequest
  /** Whether the caller named a limit: it gets one page then. */
  readonly limited: boolean
  readonly read: (page: PageRequest) => Promise<unknown>
}

/** Reads the first page, so that a refusal is still answered as one; then the others while the caller reads. */
export async function streamCsv({ columns, form, page, limited, read }: CsvList): Promise<Readable> {
  const firstPage = limited ? page : { ...page, limit: pageSizeMax }
  const first = pageOfRows(await read(firstPage))
  return Readable.from(textOf(), { objectMode: false })

  async function* textOf(): AsyncGenerator<string> {
    const names = csvLine(
      columns.map(({ name }) => name),
      form,
    )
    yield `${form.bom ? '\u{FEFF}' : ''}${names}${rowsOf(first.data)}`
    if (limited) return
    for (let { next_cursor } = first; next_cursor !== null;) {
      const next = pageOfRows(await read(pageAfter(firstPage, next_cursor)))
      next_cursor = next.next_cursor
      yield rowsOf(next.data)
    }
  }

  function rowsOf(data: readonly unknown[]): string {
    return data.map((row) => csvRow(row, columns, form)).join('')
  }
}

const printedRowsMax = 1_000 // Orders on a pick list: more than a stock picks in a day.

/** For a page: the result, or as many rows of a list. */
export async function readPrinted(
  page: PageRequest,
  paged: boolean,
  read: (page: PageRequest) => Promise<unknown>,
): Promise<{ result: unknown; more: boolean }> {
  if (!paged) return { result: await read(page), more: false }
  const first = pageOfRows(await read({ ...page, limit: pageSizeMax }))
  const rows = [...first.data]
  let { next_cursor } = first
  while (next_cursor !== null && rows.length < printedRowsMax) {
    const next = pageOfRows(await read(pageAfter({ ...page, limit: pageSizeMax }, next_cursor)))
    for (const row of next.data) rows.push(row)
    next_cursor = next.next_cursor
  }
  return { result: rows, more: next_cursor !== null }
}

/** A list without pages is one page. */
function pageOfRows(result: unknown): Page<unknown> {
  if (Array.isArray(result)) return { data: result, next_cursor: null }
  assert(typeof result === 'object' && result !== null && 'data' in result && 'next_cursor' in result)
  return result as Page<unknown>
}
