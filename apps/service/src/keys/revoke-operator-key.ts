import { operatorKeyColumns, type OperatorKey } from './operator-key.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const revokeOperatorKeySql = statement(new URL('revoke-operator-key.sql', import.meta.url), {
  parameters: { key_id: int8, actor: text, request_id: text },
  columns: operatorKeyColumns,
})

/** Every process refuses the key within 5 seconds. Revoking it again changes nothing. */
export async function revokeOperatorKey(
  db: Database,
  { key_id, actor, request_id }: { key_id: number; actor: string; request_id: string },
): Promise<OperatorKey> {
  const revoke = (): Promise<OperatorKey | undefined> => db.row(revokeOperatorKeySql, { key_id, actor, request_id })
  // A statement that waited for another revocation finds nothing to revoke; the second one sees the revoked key.
  const revoked = (await revoke()) ?? (await revoke())
  if (revoked === undefined) throw new Refusal('key_not_found', { key_id })
  return revoked
}
