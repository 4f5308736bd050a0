import type { Database } from 'pg-statements/database.ts'
import { functionStatement } from 'pg-statements/statement.ts'
import { int4, int8, text } from 'pg-statements/types.ts'

const archiveOrdersSql = functionStatement(new URL('archive_orders.sql', import.meta.url), {
  parameters: { after_days: int4, actor: text, request_id: text },
  columns: { archived: int8 },
})

/** Archives orders that were completed or cancelled at least `after_days` ago; yields the size of each batch. */
export async function* archiveOrders(
  db: Database,
  { after_days, request_id }: { after_days: number; request_id: string },
): AsyncGenerator<number> {
  for (;;) {
    const { archived = 0 } = (await db.row(archiveOrdersSql, { after_days, actor: 'worker', request_id })) ?? {}
    if (archived === 0) return
    yield archived
  }
}
