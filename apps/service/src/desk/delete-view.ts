import { explainView } from './explain-view.ts'
import { traceOf, traceParameters, viewerOf, viewerParameters } from './view.ts'
import type { Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const deleteViewSql = statement(new URL('delete-view.sql', import.meta.url), {
  parameters: { ...viewerParameters, ...traceParameters, view_id: int8 },
  columns: { removed_view_id: int8 },
})

/** Deletes an own view or, as an admin, a shared one. */
export async function deleteView(
  db: Database,
  operator: Operator,
  { view_id, request_id }: { view_id: number; request_id: string },
): Promise<{ removed_view_id: number }> {
  return settle(
    db,
    { statement: deleteViewSql, contended: `view ${view_id}` },
    () => db.row(deleteViewSql, { ...viewerOf(operator), ...traceOf(operator, request_id), view_id }),
    () => explainView(db, operator, { view_id, view_name: null }),
  )
}
