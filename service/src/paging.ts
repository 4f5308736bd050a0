/**
 * Pages start after a position, not at an offset, so new rows do not shift them.
 * A cursor contains the position of the last row of the previous page and a fingerprint of the filters.
 */
import { hash } from 'node:crypto'
import { printable } from './input/printable.ts'
import { Refusal } from './refusals.ts'

export interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
}

export const pageSizeMax = 500 // Keeps a page of orders with their history well under 1 MB.
export const pageSizeDefault = 100

type Filters = readonly (string | number | undefined)[]

export function encodeCursor(position: number | string, filters: Filters): string {
  return Buffer.from(`${position}.${fingerprint(filters)}`).toString('base64url')
}

/** The position after which the page starts, or null for the first page. */
export function decodeCursor(cursor: string | undefined, filters: Filters): number | null {
  const [, position] = decodePosition(cursor, filters, /^([1-9][0-9]{0,15})$/) ?? []
  return position === undefined ? null : Number(position)
}

/** For positions of more than one number: the groups of `form`. Each number must be below 2^53. */
export function decodePosition(cursor: string | undefined, filters: Filters, form: RegExp): RegExpExecArray | null {
  if (cursor === undefined) return null
  const [position = '', tag] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  const parts = form.exec(position)
  const whole = parts?.slice(1).every((part) => !/^\d+$/.test(part) || Number.isSafeInteger(Number(part))) === true
  if (!whole || tag !== fingerprint(filters) || encodeCursor(position, filters) !== cursor) {
    throw new Refusal('field_invalid', {
      field: 'cursor',
      value: printable(cursor),
      rule: 'the next_cursor of a page with the same filters',
    })
  }
  return parts
}

/** Lists read `limit + 1` rows; the last one only shows that there is a next page. */
export function cutPage<T>(rows: T[], limit: number, position: (row: T) => number | string, filters: Filters): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(position(last), filters) : null }
}

function fingerprint(filters: Filters): string {
  return hash('sha256', JSON.stringify(filters)).slice(0, 8)
}
