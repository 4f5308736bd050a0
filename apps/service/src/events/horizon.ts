/** Up to where the order of all events is settled: no transaction will add one before it. */
import assert from 'node:assert/strict'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

const readHorizonSql = shortStatement('read-horizon', {
  sql: 'select events_horizon()::text as horizon',
  parameters: {},
  columns: { horizon: text },
})

/** To be read before the statement that uses it: a statement sees only what was committed when it began. */
export async function readHorizon(db: Database): Promise<string> {
  const row = await db.row(readHorizonSql, {})
  assert(row)
  return row.horizon
}
