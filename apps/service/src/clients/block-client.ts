import type { BlockedClient } from './client.ts'
import { readClient } from './read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const blockClientSql = statement(new URL('block-client.sql', import.meta.url), {
  parameters: { client_id: int8, reason: nullable(text), actor: text, request_id: text },
  columns: { client_id: int8, client_name: text, block_reason: nullable(text) },
})

/** Null ends the block. A second block with another reason replaces the reason. */
export function blockClient(
  db: Database,
  request: { client_id: number; reason: string | null; actor: string; request_id: string },
): Promise<BlockedClient> {
  const { client_id } = request
  return settle(
    db,
    { statement: blockClientSql, contended: `client ${client_id}` },
    () => db.row(blockClientSql, request),
    async () => void (await readClient(db, client_id)), // Throws if there is none.
  )
}
