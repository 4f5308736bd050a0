import { operatorKeyColumns, type OperatorKey } from './operator-key.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listOperatorKeysSql = statement(new URL('list-operator-keys.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: operatorKeyColumns,
})

/** Operators' keys in the order in which they were issued, revoked ones included. */
export async function listOperatorKeys(
  db: Database,
  { limit = pageSizeDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<OperatorKey>> {
  const rows = await db.rows(listOperatorKeysSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ key_id }) => key_id, [])
}
