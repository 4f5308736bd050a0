import Type, { type Static } from 'typebox'
import type { Actor } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

export const exampleStock = { stock_id: 1, stock_name: 'Hamburg' }

export const Stock = Type.Object(
  {
    stock_id: Type.Integer({ description: 'Identifies the stock.' }),
    stock_name: Type.String({ description: 'Its name.' }),
  },
  { $id: 'Stock', description: 'A warehouse.', examples: [exampleStock] },
)
export type Stock = Static<typeof Stock>

export const stockColumns = { stock_id: int8, stock_name: text }

const listStocksSql = statement(new URL('list-stocks.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: stockColumns,
})

/** The stocks that serve the client. */
export function listStocks(db: Database, { client_id }: Actor): Promise<Stock[]> {
  return db.rows(listStocksSql, { client_id })
}
