/** Days on which a stock does not ship, besides its closed weekdays. */
import Type, { type Static } from 'typebox'
import { day } from '../input/fields.ts'
import { cutPage, positionAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, date, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

export const closedDay = day({ description: 'The day.', example: '2026-12-24' })

export const Closure = Type.Object(
  {
    stock_id: Type.Integer({ description: 'The stock.' }),
    date: Type.String({ description: 'The day, `YYYY-MM-DD`.' }),
    closed: Type.Boolean({ description: 'Whether the stock is closed on this day, besides its closed weekdays.' }),
  },
  { $id: 'Closure', examples: [{ stock_id: 1, date: '2026-12-24', closed: true }] },
)
export type Closure = Static<typeof Closure>

const setClosureSql = statement(new URL('set-closure.sql', import.meta.url), {
  parameters: { stock_id: int8, date, closed: bool, actor: text, request_id: text },
  columns: { stock_id: int8, date, closed: bool },
})

const listClosuresSql = statement(new URL('list-closures.sql', import.meta.url), {
  parameters: { stock_id: int8, after_date: date, page_size: int8 },
  columns: { stock_id: int8, date: nullable(date), closed: bool },
})

/** Closes a stock on a day, or opens it again. Shipping dates that orders already have are not changed. */
export async function setClosure(
  db: Database,
  input: { stock_id: number; date: string; closed: boolean; actor: string; request_id: string },
): Promise<Closure> {
  const set = await db.row(setClosureSql, input)
  if (set === undefined) throw new Refusal('stock_not_found', { stock_id: input.stock_id })
  return set
}

/** By day. */
export async function listClosures(db: Database, stock_id: number, page: PageRequest): Promise<Page<Closure>> {
  const [position = ''] = positionAfter(page, /^\d{4}-\d\d-\d\d$/) ?? []
  const after_date = closedDay.read(position) ?? '0001-01-01'
  const rows = await db.rows(listClosuresSql, { stock_id, after_date, page_size: page.limit + 1 })
  if (rows.length === 0) throw new Refusal('stock_not_found', { stock_id })
  const closures = rows.flatMap((row) => (row.date === null ? [] : [{ ...row, date: row.date }]))
  return cutPage(closures, page, (closure) => closure.date)
}
