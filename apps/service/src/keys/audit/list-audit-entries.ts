import { auditEntryColumns, type AuditEntry } from './audit-entry.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const listAuditEntriesSql = statement(new URL('list-audit-entries.sql', import.meta.url), {
  parameters: {
    way: text,
    client_id: nullable(int8),
    audit_action: nullable(text),
    actor: nullable(text),
    operator_id: nullable(int8),
    from_id: int8,
    page_size: int8,
  },
  columns: auditEntryColumns,
})

interface AuditFilters {
  readonly client_id?: number | undefined
  readonly audit_action?: string | undefined
  readonly actor?: string | undefined
  /** Who acted, with any key or session. */
  readonly operator_id?: number | undefined
  /** Entries after this position, oldest first. Otherwise all, newest first. */
  readonly after?: number | undefined
}

/** No entry is missed before one that was read: they are numbered in the order of their commits (0012_audit.sql). */
export async function listAuditEntries(
  db: Database,
  filters: AuditFilters,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const { client_id = null, audit_action = null, operator_id = null, actor, after } = filters
  const rows = await db.rows(listAuditEntriesSql, {
    way: wayOf(filters),
    client_id,
    audit_action,
    actor: actor === undefined ? null : withoutName(actor),
    operator_id,
    from_id: idAfter(page) ?? after ?? idMax,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ audit_id }) => audit_id)
}

/** Who acted is stored without the name that entries show. */
const withoutName = (actor: string): string =>
  actor.replace(/^(operator (?:\d+ )?(?:key|session) \d+), .*?(, for client \d+)?$/, '$1$2')

function wayOf({ client_id, audit_action, actor, operator_id, after }: AuditFilters): string {
  if (after !== undefined) return 'after'
  if (client_id !== undefined) return 'client'
  if (actor !== undefined) return 'actor'
  if (operator_id !== undefined) return 'operator'
  return audit_action === undefined ? 'all' : 'action'
}
