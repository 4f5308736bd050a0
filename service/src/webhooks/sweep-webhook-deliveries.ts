import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const sweepWebhookDeliveriesSql = statement(new URL('sweep-webhook-deliveries.sql', import.meta.url), {
  parameters: {},
  columns: { deleted: int8 },
})

/** Deletes what the log of deliveries does not keep any longer, and yields after each batch how many entries that were. */
export async function* sweepWebhookDeliveries(db: Database): AsyncGenerator<number> {
  for (;;) {
    const { deleted = 0 } = (await db.row(sweepWebhookDeliveriesSql, {})) ?? {}
    if (deleted === 0) return
    yield deleted
  }
}
