import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { int4, int8 } from '../postgres/types.ts'

const expireEventsSql = statement(new URL('expire-events.sql', import.meta.url), {
  parameters: { kept_days: int4 },
  columns: { expired: int8 },
})

/** Deletes events that are older than so many days, and yields after each batch how many. */
export async function* expireEvents(db: Database, { kept_days }: { kept_days: number }): AsyncGenerator<number> {
  for (;;) {
    const { expired = 0 } = (await db.row(expireEventsSql, { kept_days })) ?? {}
    if (expired === 0) return
    yield expired
  }
}
