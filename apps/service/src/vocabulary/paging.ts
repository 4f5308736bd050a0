/**
 * Pages start after a position, not at an offset, so new rows do not shift them. A cursor contains the position of the
 * last row of the previous page and a fingerprint of the list, the client and the filters. `serveRoutes` makes the page
 * of every request, so that no list can forget to bind its cursors.
 */
import { hash } from 'node:crypto'
import { printable } from './printable.ts'
import { Refusal, refusalError, type RefusalError } from './refusals.ts'

export interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
}

/** Which part of a list a request reads. */
export interface PageRequest {
  readonly limit: number
  /** The position after which the page starts; undefined for the first page. */
  readonly after: string | undefined
  /** The cursor of the page that starts after the position. */
  readonly cursorAt: (position: number | string) => string
}

/** What a cursor belongs to. Operators' lists have no client. */
interface List {
  readonly path: string
  readonly client_id?: number | undefined
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** The size of a page unless the query has a limit. */
  readonly limitDefault?: unknown
}

export const pageSizeMax = 500 // Keeps a page of orders with their history well under 1 MB.
export const pageSizeDefault = 100

/** Parameters that do not select rows: they may differ from page to page. */
const notFilters = new Set(['limit', 'cursor', 'wait', 'include', 'from', 'csv_separator', 'csv_decimal', 'csv_bom'])

/** The page that the query requests. A cursor of another list, client or filter is added to `problems`. */
export function pageOf(list: List, problems: RefusalError[]): PageRequest {
  const { path, client_id, params, query, limitDefault } = list
  const { limit = limitDefault, cursor } = query
  const cursorAt = (position: number | string): string => {
    const filters = Object.entries(query).filter(([name]) => !notFilters.has(name))
    const fingerprint = hash('sha256', JSON.stringify([path, client_id ?? null, params, filters])).slice(0, 8)
    return Buffer.from(`${position}.${fingerprint}`).toString('base64url')
  }
  const after = typeof cursor === 'string' ? positionIn(cursor) : undefined
  // With an invalid filter it cannot be told whether the cursor belongs to it.
  if (after !== undefined && problems.length === 0 && cursorAt(after) !== cursor)
    problems.push(cursorProblem(String(cursor)))
  return { limit: typeof limit === 'number' ? limit : pageSizeDefault, after, cursorAt }
}

/** The page that starts at the cursor, which is the `next_cursor` of the page before. */
export const pageAfter = (page: PageRequest, next_cursor: string): PageRequest => ({
  ...page,
  after: positionIn(next_cursor),
})

const positionIn = (cursor: string): string =>
  Buffer.from(cursor, 'base64url').toString('latin1').split('.', 1)[0] ?? ''

const cursorProblem = (cursor: string): RefusalError =>
  refusalError('field_invalid', {
    field: 'cursor',
    value: printable(cursor),
    rule: 'the next_cursor of a page of this list with the same filters',
  })

/** The id after which the page starts, or null for the first page. */
export function idAfter(page: PageRequest): number | null {
  const [, id] = positionAfter(page, /^([1-9]\d*)$/) ?? []
  return id === undefined ? null : Number(id)
}

/** For positions of more than one number: the groups of `form`, or null for the first page. */
export function positionAfter({ after, cursorAt }: PageRequest, form: RegExp): RegExpExecArray | null {
  if (after === undefined) return null
  const parts = form.exec(after)
  const fits = parts?.slice(1).every((part) => !/^\d+$/.test(part) || Number.isSafeInteger(Number(part))) === true
  if (!fits) throw new Refusal([cursorProblem(cursorAt(after))]) // Somebody has calculated the fingerprint.
  return parts
}

export const rowsAtOnce = 50 // About a millisecond's work.

/** Maps a long page in pieces, so that no other request waits for all of it. */
export async function mapRows<R, T>(rows: readonly R[], of: (row: R) => T): Promise<T[]> {
  const mapped: T[] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    if (at > 0) await new Promise(setImmediate)
    for (const row of rows.slice(at, at + rowsAtOnce)) mapped.push(of(row))
  }
  return mapped
}

/** Lists read `limit + 1` rows; the last one only shows that there is a next page. */
export function cutPage<T>(
  rows: T[],
  { limit, cursorAt }: PageRequest,
  position: (row: T) => number | string,
): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorAt(position(last)) : null }
}
