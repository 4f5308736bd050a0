import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, int8Array, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const findMissingReferencesSql = statement(new URL('find-missing-references.sql', import.meta.url), {
  parameters: { price_list_id: nullable(int8), stock_ids: int8Array },
  columns: { price_list_missing: bool, missing_stock_ids: int8Array },
})

/** Throws if the price list or one of the stocks that a client or contract is to refer to does not exist. */
export async function refuseMissingReferences(
  db: Database,
  { price_list_id, stock_ids = [] }: { price_list_id?: number | undefined; stock_ids?: number[] | undefined },
): Promise<void> {
  const found = await db.row(findMissingReferencesSql, { price_list_id: price_list_id ?? null, stock_ids })
  if (price_list_id !== undefined && found?.price_list_missing === true)
    throw new Refusal('price_list_not_found', { price_list_id })
  const [stock_id] = found?.missing_stock_ids ?? []
  if (stock_id !== undefined) throw new Refusal('stock_not_found', { stock_id })
}
