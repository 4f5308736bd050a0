/** Asks the process that runs an import to stop. */
import { findImport } from './import.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const stopImportSql = statement(new URL('stop-import.sql', import.meta.url), {
  parameters: { import_id: int8, actor: text, request_id: text },
  columns: { import_id: int8 },
})

export async function stopImport(
  db: Database,
  stop: { import_id: number; actor: string; request_id: string },
): Promise<void> {
  const { import_id } = stop
  if ((await db.row(stopImportSql, stop)) !== undefined) return
  const found = await findImport(db, import_id)
  if (found === undefined) throw new Refusal('import_not_found', { import_id })
  const { import_state } = found
  if (import_state !== 'stopped') throw new Refusal('import_finished', { import_id, import_state })
}
