import type { ClientName } from './client.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const listClientsSql = statement(new URL('list-clients.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text, block_reason: nullable(text) },
})

/** Clients in the order in which they were created. */
export async function listClients(db: Database, page: PageRequest): Promise<Page<ClientName>> {
  const rows = await db.rows(listClientsSql, { after_id: idAfter(page) ?? 0, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ client_id }) => client_id)
}
