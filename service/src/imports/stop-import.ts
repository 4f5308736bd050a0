/** Asks the process that runs an import to stop. */
import { findImport } from './import.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const stopImportSql = statement(new URL('stop-import.sql', import.meta.url), {
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
