import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const sweepWebhookDeliveriesSql = statement(new URL('sweep-webhook-deliveries.sql', import.meta.url), {
  parameters: {},
  columns: { deleted: int8 },
})

/** Deletes expired entries of the delivery log in batches, and yields how many each batch deleted. */
export async function* sweepWebhookDeliveries(db: Database): AsyncGenerator<number> {
  for (;;) {
    const { deleted = 0 } = (await db.row(sweepWebhookDeliveriesSql, {})) ?? {}
    if (deleted === 0) return
    yield deleted
  }
}
