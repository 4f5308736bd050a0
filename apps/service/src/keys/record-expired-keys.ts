import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

const recordExpiredKeysSql = statement(new URL('record-expired-keys.sql', import.meta.url), {
  parameters: { actor: text, request_id: text },
  columns: { recorded: int8 },
})

/**
 * Records expired keys in their clients' event logs, and yields the number of keys after each batch.
 * A key stops working when it expires, with or without this job.
 */
export async function* recordExpiredKeys(db: Database, { request_id }: { request_id: string }): AsyncGenerator<number> {
  for (;;) {
    const { recorded = 0 } = (await db.row(recordExpiredKeysSql, { actor: 'worker', request_id })) ?? {}
    if (recorded === 0) return
    yield recorded
  }
}
