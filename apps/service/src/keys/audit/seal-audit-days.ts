/** The worker's part of the audit log: sealing finished days, and dropping those that have expired. See 0012_audit.sql. */
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const sealAuditDaySql = shortStatement('seal-audit-day', {
  sql: 'select seal_audit_day() as entries',
  parameters: {},
  columns: { entries: int8 },
  reads: false,
})
const dropAuditDaySql = shortStatement('drop-audit-day', {
  sql: 'select drop_audit_day(:kept_days) as entries',
  parameters: { kept_days: int4 },
  columns: { entries: int8 },
  reads: false,
})

/** Yields the number of entries of each day that it seals, and of each that it drops. Without `kept_days` none is dropped. */
export async function* sealAuditDays(
  db: Database,
  { kept_days }: { kept_days: number | null },
): AsyncGenerator<number> {
  yield* untilNone(() => db.row(sealAuditDaySql, {}))
  if (kept_days !== null) yield* untilNone(() => db.row(dropAuditDaySql, { kept_days }))
}

async function* untilNone(next: () => Promise<{ entries: number } | undefined>): AsyncGenerator<number> {
  for (;;) {
    const { entries = 0 } = (await next()) ?? {}
    if (entries === 0) return
    yield entries
  }
}
