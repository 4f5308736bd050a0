import { clientKeyColumns, type ClientKey } from './client-key.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listClientKeysSql = statement(new URL('list-client-keys.sql', import.meta.url), {
  parameters: { client_id: int8, after_id: int8, page_size: int8 },
  columns: clientKeyColumns,
})

/** A client's keys in the order in which they were issued, revoked ones included. */
export async function listClientKeys(
  db: Database,
  {
    client_id,
    limit = pageSizeDefault,
    cursor,
  }: { client_id: number; limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<ClientKey>> {
  const filters = [client_id]
  const rows = await db.rows(listClientKeysSql, {
    client_id,
    after_id: decodeCursor(cursor, filters) ?? 0,
    page_size: limit + 1,
  })
  return cutPage(rows, limit, ({ key_id }) => key_id, filters)
}
