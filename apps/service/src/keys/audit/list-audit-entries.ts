import { auditEntryColumns, type AuditEntry } from './audit-entry.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'

const listAuditEntriesSql = statement(new URL('list-audit-entries.sql', import.meta.url), {
  parameters: { client_id: nullable(int8), before_id: int8, page_size: int8 },
  columns: auditEntryColumns,
})

/** Entries about one client, or all of them, newest first. */
export async function listAuditEntries(
  db: Database,
  { client_id = null }: { client_id?: number | null | undefined },
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const rows = await db.rows(listAuditEntriesSql, {
    client_id,
    before_id: idAfter(page) ?? idMax,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ audit_id }) => audit_id)
}
