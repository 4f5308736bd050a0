import { operatorKeyColumns, type OperatorKey } from './operator-key.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listOperatorKeysSql = statement(new URL('list-operator-keys.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: operatorKeyColumns,
})

/** Operators' keys in the order in which they were issued, revoked ones included. */
export async function listOperatorKeys(db: Database, page: PageRequest): Promise<Page<OperatorKey>> {
  const rows = await db.rows(listOperatorKeysSql, { after_id: idAfter(page) ?? 0, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ key_id }) => key_id)
}
