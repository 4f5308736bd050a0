import { clientKeyColumns, type ClientKey, type KeyRate } from './client-key.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, json, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const changeClientKeySql = statement(new URL('change-client-key.sql', import.meta.url), {
  parameters: {
    key_id: int8,
    rate_per_second: nullable(int4),
    rate_burst: nullable(int4),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns: clientKeyColumns,
})

/** Changes the rate limit of a client's key. Every process applies it within 5 seconds. */
export async function changeClientKey(
  db: Database,
  { key_id, changes, actor, request_id }: { key_id: number; changes: KeyRate; actor: string; request_id: string },
): Promise<ClientKey> {
  const changed = await db.row(changeClientKeySql, {
    key_id,
    rate_per_second: changes.rate_per_second ?? null,
    rate_burst: changes.rate_burst ?? null,
    changes: { ...changes },
    actor,
    request_id,
  })
  if (changed === undefined) throw new Refusal('key_not_found', { key_id })
  return changed
}
