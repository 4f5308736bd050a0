import { viewerOf, viewerParameters } from './view.ts'
import type { Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const explainViewSql = statement(new URL('explain-view.sql', import.meta.url), {
  parameters: { ...viewerParameters, view_id: int8, view_name: nullable(text) },
  columns: { changeable: bool, owner_name: text, name_taken: bool },
})

/** Throws why a view cannot be changed or deleted. One that the operator does not see does not exist for it. */
export async function explainView(
  db: Database,
  operator: Operator,
  { view_id, view_name }: { view_id: number; view_name: string | null },
): Promise<void> {
  const found = await db.row(explainViewSql, { ...viewerOf(operator), view_id, view_name })
  if (found === undefined) throw new Refusal('view_not_found', { view_id })
  if (!found.changeable) throw new Refusal('view_of_another', { view_id, owner_name: found.owner_name })
  if (view_name !== null && found.name_taken) throw new Refusal('view_name_taken', { view_name })
}
