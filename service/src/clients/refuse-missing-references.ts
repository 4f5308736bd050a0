import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, int8Array, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const explainClientSql = statement(new URL('find-missing-references.sql', import.meta.url), {
  parameters: { price_list_id: nullable(int8), stock_ids: int8Array },
  columns: { price_list_there: bool, unknown_stocks: int8Array },
})

/** Throws when a client or contract is to refer to something that is not there; returns when all of it is. */
export async function refuseUnknown(
  db: Database,
  { price_list_id, stock_ids = [] }: { price_list_id?: number | undefined; stock_ids?: number[] | undefined },
): Promise<void> {
  const found = await db.row(explainClientSql, { price_list_id: price_list_id ?? null, stock_ids })
  if (price_list_id !== undefined && found?.price_list_there === false)
    throw new Refusal('price_list_not_found', { price_list_id })
  const [stock_id] = found?.unknown_stocks ?? []
  if (stock_id !== undefined) throw new Refusal('stock_not_found', { stock_id })
}
