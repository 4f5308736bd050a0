import { explainView } from './explain-view.ts'
import { viewerOf, viewerParameters } from './view.ts'
import type { Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const deleteViewSql = shortStatement('delete-view', {
  sql: `delete from operator_views
    where view_id = :view_id and (owner = :owner or (shared and :administers))
    returning view_id as removed_view_id`,
  parameters: { ...viewerParameters, view_id: int8 },
  columns: { removed_view_id: int8 },
})

/** Deletes an own view or, as an admin, a shared one. */
export async function deleteView(
  db: Database,
  operator: Operator,
  view_id: number,
): Promise<{ removed_view_id: number }> {
  return settle(
    db,
    { statement: deleteViewSql, contended: `view ${view_id}` },
    () => db.row(deleteViewSql, { ...viewerOf(operator), view_id }),
    () => explainView(db, operator, { view_id, view_name: null }),
  )
}
