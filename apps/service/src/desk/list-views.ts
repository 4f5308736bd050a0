import { viewColumns, viewerOf, viewerParameters, type OrderView } from './view.ts'
import type { Operator } from '../identity/actor.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listViewsSql = statement(new URL('list-views.sql', import.meta.url), {
  parameters: { ...viewerParameters, after_id: int8, page_size: int8 },
  columns: viewColumns,
})

/** The operator's own views and all shared ones, oldest first. */
export async function listViews(db: Database, operator: Operator, page: PageRequest): Promise<Page<OrderView>> {
  const rows = await db.rows(listViewsSql, {
    ...viewerOf(operator),
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ view_id }) => view_id)
}
