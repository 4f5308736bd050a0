import { explainView } from './explain-view.ts'
import { traceOf, traceParameters, viewColumns, viewerOf, viewerParameters, type OrderView } from './view.ts'
import type { Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text } from 'pg-statements/types.ts'

const changeViewSql = statement(new URL('change-view.sql', import.meta.url), {
  parameters: {
    ...viewerParameters,
    ...traceParameters,
    view_id: int8,
    view_name: nullable(text),
    filters: nullable(text),
    shared: nullable(bool),
  },
  columns: viewColumns,
  refusedBy: ['operator_views_name_is_unique'],
})

interface ViewChange {
  readonly view_id: number
  readonly request_id: string
  readonly view_name?: string | undefined
  readonly filters?: string | undefined
  readonly shared?: boolean | undefined
}

/** Changes the given fields of an own view or, as an admin, of a shared one. */
export async function changeView(db: Database, operator: Operator, change: ViewChange): Promise<OrderView> {
  const trace = traceOf(operator, change.request_id)
  const { view_id, view_name = null, filters = null, shared = null } = change
  return settle(
    db,
    { statement: changeViewSql, contended: `view ${view_id}` },
    () => db.row(changeViewSql, { ...viewerOf(operator), ...trace, view_id, view_name, filters, shared }),
    () => explainView(db, operator, { view_id, view_name }),
  )
}
