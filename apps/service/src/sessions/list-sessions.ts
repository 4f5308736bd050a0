import { sessionColumns, type SignedSession } from './session.ts'
import { idMax } from '../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const listSessionsSql = statement(new URL('list-sessions.sql', import.meta.url), {
  parameters: { before_id: int8, page_size: int8 },
  columns: sessionColumns,
})

/** Sessions, newest first, ended ones included. */
export async function listSessions(db: Database, page: PageRequest): Promise<Page<SignedSession>> {
  const rows = await db.rows(listSessionsSql, { before_id: idAfter(page) ?? idMax, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ session_id }) => session_id)
}
