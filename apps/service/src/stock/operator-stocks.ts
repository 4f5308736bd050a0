/** Stocks as operators maintain them: few, and they rarely change. */
import Type, { type Static } from 'typebox'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import { textOrNull } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, int8, int8Array, nullable, text } from 'pg-statements/types.ts'

export const OperatorStock = Type.Object(
  {
    stock_id: Type.Integer({ description: 'Identifies the stock.' }),
    stock_name: Type.String({ description: 'Its name.' }),
    lead_days: Type.Integer({ description: 'Days it needs before it can ship.' }),
    cut_off: textOrNull(
      'The time of the day, `HH:MM` in the time zone of the service, from which on the lead time begins a day later; null for none.',
    ),
    closed_weekdays: Type.Array(Type.Integer(), {
      description: 'Weekdays on which it does not ship: 1 is Monday, 7 is Sunday.',
    }),
  },
  {
    $id: 'OperatorStock',
    examples: [{ stock_id: 1, stock_name: 'Hamburg', lead_days: 1, cut_off: '14:30', closed_weekdays: [6, 7] }],
  },
)
export type OperatorStock = Static<typeof OperatorStock>

const columns = {
  stock_id: int8,
  stock_name: text,
  lead_days: int4,
  cut_off: nullable(text),
  closed_weekdays: int8Array,
}

const putStockSql = statement(new URL('put-stock.sql', import.meta.url), {
  parameters: { ...columns, actor: text, request_id: text },
  columns,
})
const listAllStocksSql = shortStatement('list-all-stocks', {
  sql: `select stock_id, stock_name, lead_days, left(cut_off::text, 5) as cut_off,
      closed_weekdays::bigint[] as closed_weekdays
    from stocks where stock_id > :after_id
    order by stock_id limit :page_size`,
  parameters: { after_id: int8, page_size: int8 },
  columns,
})

export async function putStock(
  db: Database,
  stock: OperatorStock & { actor: string; request_id: string },
): Promise<OperatorStock> {
  return settle(
    db,
    { statement: putStockSql, contended: `stock ${stock.stock_id}` },
    () => db.row(putStockSql, stock),
    async () => undefined,
  )
}

export async function listAllStocks(db: Database, page: PageRequest): Promise<Page<OperatorStock>> {
  const rows = await db.rows(listAllStocksSql, { after_id: idAfter(page) ?? 0, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ stock_id }) => stock_id)
}
