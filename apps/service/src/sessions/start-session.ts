import assert from 'node:assert/strict'
import { sessionColumns, type SignedSession } from './session.ts'
import { operatorSessions } from './session-kind.ts'
import { operatorActor, operatorOwner, type Role } from '../identity/actor.ts'
import { drawKey } from '../keys/draw-key.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bytes, int4, int8, nullable, text } from 'pg-statements/types.ts'

const startSessionSql = statement(new URL('start-session.sql', import.meta.url), {
  parameters: {
    session_id: int8,
    owner: text,
    key_id: nullable(int8),
    operator_id: int8,
    role: text,
    digest: bytes,
    lasts_seconds: int4,
    idle_seconds: int4,
    actor: text,
    request_id: text,
  },
  columns: sessionColumns,
})

export interface SessionLimits {
  readonly sessionHours: number
  readonly sessionIdleMinutes: number
}

export interface SessionInput extends SessionLimits {
  readonly operator_id: number
  /** The key that was used to sign in; null for a person at the identity provider. */
  readonly key_id: number | null
  readonly role: Role
  readonly request_id: string
}

/** Starts a session. Only a digest of its token is stored. */
export async function startSession(
  db: Database,
  input: SessionInput,
): Promise<{ session: SignedSession; token: string }> {
  const { key_id: session_id, key: token, digest } = await drawKey(db, operatorSessions)
  const session = await db.row(startSessionSql, {
    session_id,
    owner: operatorOwner(input),
    key_id: input.key_id,
    operator_id: input.operator_id,
    role: input.role,
    digest,
    lasts_seconds: input.sessionHours * 3_600,
    idle_seconds: input.sessionIdleMinutes * 60,
    actor: operatorActor({ ...input, session: { session_id } }),
    request_id: input.request_id,
  })
  assert(session)
  return { session, token }
}
