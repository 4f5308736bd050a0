import { operatorColumns, type ListedOperator } from './operator.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listOperatorsSql = statement(new URL('list-operators.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: operatorColumns,
})

/** In the order in which they were added. */
export async function listOperators(db: Database, page: PageRequest): Promise<Page<ListedOperator>> {
  const rows = await db.rows(listOperatorsSql, { after_id: idAfter(page) ?? 0, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ operator_id }) => operator_id)
}
