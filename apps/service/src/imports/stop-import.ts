/** Asks the process that runs an import to stop. */
import { findImport } from './import.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

/** The process that runs the import stops after the batches in progress. */
const stopImportSql = shortStatement('stop-import', {
  sql: `update imports set stop_requested = true
    where import_id = :import_id and finished_at is null
    returning import_id`,
  parameters: { import_id: int8 },
  columns: { import_id: int8 },
})

export async function stopImport(db: Database, import_id: number): Promise<void> {
  if ((await db.row(stopImportSql, { import_id })) !== undefined) return
  const found = await findImport(db, import_id)
  if (found === undefined) throw new Refusal('import_not_found', { import_id })
  const { import_state } = found
  if (import_state !== 'stopped') throw new Refusal('import_finished', { import_id, import_state })
}
