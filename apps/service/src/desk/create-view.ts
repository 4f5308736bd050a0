import {
  traceOf,
  traceParameters,
  viewColumns,
  viewerOf,
  viewerParameters,
  viewsPerOperatorMax,
  type OrderView,
} from './view.ts'
import type { Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const createViewSql = statement(new URL('create-view.sql', import.meta.url), {
  parameters: {
    ...viewerParameters,
    ...traceParameters,
    view_name: text,
    filters: text,
    shared: bool,
    views_max: int8,
  },
  columns: viewColumns,
})
const explainNewViewSql = shortStatement('explain-new-view', {
  sql: `select count(*) as views, coalesce(bool_or(view_name = :view_name), false) as name_taken
    from operator_views
    where owner = :owner`,
  parameters: { owner: text, view_name: text },
  columns: { views: int8, name_taken: bool },
})

/** Saves filters under a name. The same view again changes nothing and is the same answer. */
export async function createView(
  db: Database,
  operator: Operator,
  {
    view_name,
    filters,
    shared,
    request_id,
  }: { view_name: string; filters: string; shared: boolean; request_id: string },
): Promise<OrderView> {
  const viewer = viewerOf(operator)
  const { owner } = viewer
  return settle(
    db,
    { statement: createViewSql, contended: `views of ${owner}` },
    () =>
      db.row(createViewSql, {
        ...viewer,
        ...traceOf(operator, request_id),
        view_name,
        filters,
        shared,
        views_max: viewsPerOperatorMax,
      }),
    async () => {
      const { views = 0, name_taken } = (await db.row(explainNewViewSql, { owner, view_name })) ?? {}
      if (name_taken === true) throw new Refusal('view_name_taken', { view_name })
      if (views >= viewsPerOperatorMax) throw new Refusal('view_limit_reached', { limit: viewsPerOperatorMax })
    },
  )
}
