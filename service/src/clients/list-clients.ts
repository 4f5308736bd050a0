import type { ClientName } from './client.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

const listClientsSql = statement(new URL('list-clients.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text },
})

/** Clients in the order in which they were created. */
export async function listClients(
  db: Database,
  { limit = pageSizeDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<ClientName>> {
  const rows = await db.rows(listClientsSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ client_id }) => client_id, [])
}
