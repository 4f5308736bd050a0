import { operatorKeyColumns, type OperatorKey } from './operator-key.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const revokeOperatorKeySql = statement(new URL('revoke-operator-key.sql', import.meta.url), {
  parameters: { key_id: int8, actor: text },
  columns: operatorKeyColumns,
})

/** Every process refuses the key within 5 seconds. Revoking it again changes nothing. */
export async function revokeOperatorKey(
  db: Database,
  { key_id, actor }: { key_id: number; actor: string },
): Promise<OperatorKey> {
  const revoked = await db.row(revokeOperatorKeySql, { key_id, actor })
  if (revoked === undefined) throw new Refusal('key_not_found', { key_id })
  return revoked
}
