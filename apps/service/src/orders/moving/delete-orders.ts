import type { Database } from 'pg-statements/database.ts'
import { functionStatement } from 'pg-statements/statement.ts'
import { int4, int8, nullable, text } from 'pg-statements/types.ts'

const deleteOrdersSql = functionStatement(new URL('delete_orders.sql', import.meta.url), {
  parameters: { kept_days: int4, after_at: text, after_id: int8 },
  columns: { last_at: nullable(text), last_id: nullable(int8), deleted: int8 },
})

/**
 * Deletes orders that were archived and last changed at least `kept_days` ago, and of which no events are left. Null
 * means never. Yields the number of orders that each batch has deleted.
 */
export async function* deleteOrders(db: Database, { kept_days }: { kept_days: number | null }): AsyncGenerator<number> {
  if (kept_days === null) return
  let after = { after_at: '-infinity', after_id: 0 }
  for (;;) {
    const batch = await db.row(deleteOrdersSql, { kept_days, ...after })
    if (typeof batch?.last_at !== 'string' || batch.last_id === null) return
    yield batch.deleted
    after = { after_at: batch.last_at, after_id: batch.last_id }
  }
}
