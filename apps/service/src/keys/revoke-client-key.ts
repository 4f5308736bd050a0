import { clientKeyColumns, type ClientKey } from './client-key.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const revokeClientKeySql = statement(new URL('revoke-client-key.sql', import.meta.url), {
  parameters: { client_id: nullable(int8), key_id: int8, actor: text, request_id: text },
  columns: clientKeyColumns,
})

interface Revocation {
  /** Null for operators: they may revoke any client's key. */
  readonly client_id: number | null
  readonly key_id: number
  readonly actor: string
  readonly request_id: string
}

/** Every process refuses the key within 5 seconds. Revoking it again changes nothing. */
export async function revokeClientKey(db: Database, revocation: Revocation): Promise<ClientKey> {
  const { client_id, key_id, actor, request_id } = revocation
  const revoke = (): Promise<ClientKey | undefined> =>
    db.row(revokeClientKeySql, { client_id, key_id, actor, request_id })
  // A statement that waited for another revocation finds nothing to revoke; the second one sees the revoked key.
  const revoked = (await revoke()) ?? (await revoke())
  if (revoked === undefined) throw new Refusal('key_not_found', { key_id })
  return revoked
}
