import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, text } from 'pg-statements/types.ts'

const expireEventsSql = statement(new URL('expire-events.sql', import.meta.url), {
  parameters: { kept_days: int4, after_transaction: text, after_client: int8, after_number: int8 },
  columns: { transaction_id: text, client_id: int8, event_number: int8, expired: int8 },
})

/** Deletes events older than `kept_days` in batches, and yields the size of each batch. */
export async function* expireEvents(db: Database, { kept_days }: { kept_days: number }): AsyncGenerator<number> {
  let after = { after_transaction: '0', after_client: 0, after_number: 0 }
  for (;;) {
    const last = await db.row(expireEventsSql, { kept_days, ...after })
    if (last === undefined) return
    // The next batch starts here, so that it does not scan the deleted rows again.
    after = { after_transaction: last.transaction_id, after_client: last.client_id, after_number: last.event_number }
    yield last.expired
  }
}
