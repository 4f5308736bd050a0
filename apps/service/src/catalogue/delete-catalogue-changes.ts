import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

/** The function in 0020_catalogue_retention.sql. */
const deleteCatalogueChangesSql = shortStatement('delete-catalogue-changes', {
  sql: 'select delete_catalogue_changes(:kept_days) as deleted',
  parameters: { kept_days: int4 },
  columns: { deleted: int8 },
  reads: false,
})

/** Deletes catalogue changes that are older than `kept_days`, 1,000 at a time; null means never. Yields how many. */
export async function* deleteCatalogueChanges(
  db: Database,
  { kept_days }: { kept_days: number | null },
): AsyncGenerator<number> {
  if (kept_days === null) return
  for (;;) {
    const { deleted = 0 } = (await db.row(deleteCatalogueChangesSql, { kept_days })) ?? {}
    if (deleted === 0) return
    yield deleted
  }
}
