import { clientKeyColumns, type ClientKey } from './client-key.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listClientKeysSql = statement(new URL('list-client-keys.sql', import.meta.url), {
  parameters: { client_id: int8, after_id: int8, page_size: int8 },
  columns: clientKeyColumns,
})

/** A client's keys in the order in which they were issued, revoked ones included. */
export async function listClientKeys(db: Database, client_id: number, page: PageRequest): Promise<Page<ClientKey>> {
  const rows = await db.rows(listClientKeysSql, {
    client_id,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ key_id }) => key_id)
}
