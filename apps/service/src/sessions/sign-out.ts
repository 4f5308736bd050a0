import assert from 'node:assert/strict'
import { operatorActor, operatorOwner, type Operator } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const signOutSql = statement(new URL('sign-out.sql', import.meta.url), {
  parameters: { owner: text, session_id: nullable(int8), actor: text, request_id: text },
  columns: { sessions_ended: int8 },
})

const noSession = 0 // A caller with a key has no session of its own to end.

/** Ends the caller's session, or all sessions of the same key or person. */
export async function signOut(
  db: Database,
  { operator, everywhere, request_id }: { operator: Operator; everywhere: boolean; request_id: string },
): Promise<{ sessions_ended: number }> {
  const ended = await db.row(signOutSql, {
    owner: operatorOwner(operator),
    session_id: everywhere ? null : (operator.session?.session_id ?? noSession),
    actor: operatorActor(operator),
    request_id,
  })
  assert(ended)
  return ended
}
