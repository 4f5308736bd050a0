import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

const recordExpiredKeysSql = statement(new URL('record-expired-keys.sql', import.meta.url), {
  parameters: { request_id: text },
  columns: { recorded: int8 },
})

/** An expired key has ceased to work by itself; this tells its client's log, and yields after each batch how many. */
export async function* recordExpiredKeys(db: Database, { request_id }: { request_id: string }): AsyncGenerator<number> {
  for (;;) {
    const { recorded = 0 } = (await db.row(recordExpiredKeysSql, { request_id })) ?? {}
    if (recorded === 0) return
    yield recorded
  }
}
