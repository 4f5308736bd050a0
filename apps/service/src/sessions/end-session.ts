import { sessionColumns, type SignedSession } from './session.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const endSessionSql = statement(new URL('end-session.sql', import.meta.url), {
  parameters: { session_id: int8, actor: text, request_id: text },
  columns: sessionColumns,
})

/** Every process refuses the session within 5 seconds. Ending it again changes nothing. */
export async function endSession(
  db: Database,
  { session_id, actor, request_id }: { session_id: number; actor: string; request_id: string },
): Promise<SignedSession> {
  const end = (): Promise<SignedSession | undefined> => db.row(endSessionSql, { session_id, actor, request_id })
  // A statement that waited for another one to end the session finds nothing to end; the second one sees it ended.
  const ended = (await end()) ?? (await end())
  if (ended === undefined) throw new Refusal('session_not_found', { session_id })
  return ended
}
