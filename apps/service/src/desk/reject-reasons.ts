/** The reasons that operators choose from when they reject a request. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { textOrNull } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement, type Values } from 'pg-statements/statement.ts'
import { datetime, jsonOf, nullable, text, textArray } from 'pg-statements/types.ts'

export const reasonsMax = 20 // More are not read before one is chosen.

export const RejectReasons = Type.Object(
  {
    reasons: Type.Array(Type.String(), { description: 'The reasons, in the order in which they are offered.' }),
    changed_at: textOrNull('When they were last changed, `YYYY-MM-DD HH:MM:SS`; null for never.'),
    changed_by: textOrNull('Who changed them last.'),
  },
  {
    $id: 'RejectReasons',
    examples: [
      {
        reasons: ['Already being loaded.', 'Not enough of them.'],
        changed_at: '2026-11-16 09:41:03',
        changed_by: 'operator 3 key 3, Anna Berg',
      },
    ],
  },
)
export type RejectReasons = Static<typeof RejectReasons>

const columns = { reasons: jsonOf<string[]>(), changed_at: nullable(datetime), changed_by: nullable(text) }
const readRejectReasonsSql = shortStatement('read-reject-reasons', {
  sql: 'select to_jsonb(reasons) as reasons, changed_at, shown_actor(changed_by) as changed_by from reject_reasons',
  parameters: {},
  columns,
})
const setRejectReasonsSql = statement(new URL('set-reject-reasons.sql', import.meta.url), {
  parameters: { reasons: textArray, actor: text, request_id: text },
  columns,
})

export async function readRejectReasons(db: Database): Promise<RejectReasons> {
  const found = await db.row(readRejectReasonsSql, {})
  assert(found) // The migration inserts the row.
  return found
}

/** Replaces all reasons. */
export async function setRejectReasons(
  db: Database,
  change: Values<typeof setRejectReasonsSql.parameters>,
): Promise<RejectReasons> {
  const set = await db.row(setRejectReasonsSql, change)
  assert(set) // As above.
  return set
}
