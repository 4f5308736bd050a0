import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, int8, text } from 'pg-statements/types.ts'

const expireEventsSql = statement(new URL('expire-events.sql', import.meta.url), {
  parameters: { kept_days: int4, after_client: int8 },
  columns: { client_id: int8, expired: int8 },
})

/**
 * Drops events_before if all of its events are hidden, and sets `events` aside: the function in 0012_audit.sql. Not while
 * the database is copied to another server (move-postgresql.md), where the tables would keep their names.
 */
const turnEventTablesSql = shortStatement('turn-event-tables', {
  sql: `select case
      when exists (select from pg_publication where pubname = 'parts_move') then 'not due'
      else turn_event_tables(:kept_days) end as outcome`,
  parameters: { kept_days: int4 },
  columns: { outcome: text },
  reads: false, // The function drops a table.
})

/**
 * Events are set aside when the oldest is `kept_days` old, and expire when the youngest of those set aside is: then they
 * are hidden from readers, one batch of clients after the other, and dropped with their table. Yields how many events
 * each batch has hidden. If a transaction keeps the tables locked, what is hidden is dropped by a later run.
 */
export async function* expireEvents(db: Database, { kept_days }: { kept_days: number }): AsyncGenerator<number> {
  for (;;) {
    yield* hideExpired(db, kept_days)
    const turned = await db.row(turnEventTablesSql, { kept_days })
    if (turned?.outcome === 'not due') return
    if (turned?.outcome !== 'done') throw new Error(`The tables of events are ${turned?.outcome}. Trying again later.`)
  }
}

async function* hideExpired(db: Database, kept_days: number): AsyncGenerator<number> {
  for (let after_client = 0; ;) {
    const batch = await db.row(expireEventsSql, { kept_days, after_client })
    if (batch === undefined) return
    after_client = batch.client_id
    yield batch.expired
  }
}
