import { readFileSync } from 'node:fs'
import type pg from 'pg'

const renumberRestoredEventsSql = readFileSync(new URL('renumber-restored-events.sql', import.meta.url), 'utf8')

/**
 * Gives restored events positions that the feed shows: renumber-restored-events.sql says why. Checks before it locks
 * anything, because nearly always there is nothing to do. Statements sent in one query are one transaction.
 */
export async function renumberRestoredEvents(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ restored: boolean }>(
    `select exists (select 1 from clients where event_transaction >= pg_current_xact_id()) as restored`,
  )
  if (rows[0]?.restored === true) await client.query(renumberRestoredEventsSql)
}
