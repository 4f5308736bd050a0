/** Restores what was before an import, completely or not at all. */
import { readImport, undoDays, type Import } from './import.ts'
import { kindOf } from './kinds/kinds.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal } from '../vocabulary/refusals.ts'

/**
 * One statement holds the locks of all rows until it ends. Undoing took half as long as importing, 20 s for 200,000 prices
 * on a busy machine. Nobody waits for items and prices except who changes them; orders wait for stock levels.
 */
const undoRowsMax: Record<string, number> = {
  items: 200_000,
  prices: 200_000,
  'stock-levels': 20_000,
  arrivals: 20_000,
  substitutes: 20_000,
}
const shownMax = 100 // As many as a person reads.

interface UndoRequest {
  readonly import_id: number
  readonly actor: string
  readonly request_id: string
}

export async function undoImport(db: Database, { import_id, actor, request_id }: UndoRequest): Promise<Import> {
  const before = await readImport(db, import_id)
  if (before.import_state === 'undone') return before
  const refuse = (reason: string): Refusal => new Refusal('import_not_undoable', { import_id, reason })
  if (!before.undoable) throw refuse(reasonAgainst(before))
  const rowsMax = undoRowsMax[before.import_kind] ?? 0
  if (before.rows_added + before.rows_changed > rowsMax)
    throw refuse(`it changed more than ${rowsMax} rows, which is the maximum`)
  const { undo } = kindOf(before.import_kind)
  const verdict = await db.row(undo, {
    import_id,
    undo_days: undoDays,
    rows_max: rowsMax,
    shown_max: shownMax,
    actor,
    request_id,
  })
  if (verdict === undefined || verdict.undone) return readImport(db, import_id)
  if (!verdict.recorded) throw refuse('what it changed was not recorded completely')
  const { changed_since, changed_rows } = verdict
  throw new Refusal('import_changed_since', { import_id, changed_since, rows: changed_rows })
}

function reasonAgainst({ dry_run, finished_at, import_state }: Import): string {
  if (dry_run) return 'it was a dry run and changed nothing'
  if (finished_at === null) return `it is not finished; its state is ${import_state}`
  return import_state === 'done' || import_state === 'stopped'
    ? `it ended more than ${undoDays} days ago`
    : `its state is ${import_state}`
}
