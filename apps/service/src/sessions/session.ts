/** A session as operators see it. */
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from '../vocabulary/schema-parts.ts'
import { roleWord } from '../keys/operators/operator.ts'
import { datetime, int8, nullable, text } from 'pg-statements/types.ts'

export const SignedSession = Type.Object(
  {
    session_id: Type.Integer({ description: 'Identifies the session in paths and in the audit log.' }),
    operator_id: Type.Integer({ description: 'Who signed in. The log names it with everything done in the session.' }),
    operator_name: Type.String({ description: "The operator's present name." }),
    role: roleWord('The role of the session.'),
    key_id: integerOrNull('The operator key that was used to sign in; null after signing in at the identity provider.'),
    created_at: Type.String({ description: 'When it started, `YYYY-MM-DD HH:MM:SS`.' }),
    expires_at: Type.String({ description: 'When it expires at the latest.' }),
    last_used_at: textOrNull('When it was last used, to about a minute; null for never.'),
    ended_at: textOrNull('When it was ended by signing out or by an admin; null if it was not.'),
  },
  {
    $id: 'Session',
    examples: [
      {
        session_id: 41,
        operator_id: 3,
        operator_name: 'Anna Berg',
        role: 'decider',
        key_id: 3,
        created_at: '2026-11-16 07:02:11',
        expires_at: '2026-11-16 19:02:11',
        last_used_at: '2026-11-16 09:41:03',
        ended_at: null,
      },
    ],
  },
)
export type SignedSession = Static<typeof SignedSession>

export const sessionColumns = {
  session_id: int8,
  operator_id: int8,
  operator_name: text,
  role: text,
  key_id: nullable(int8),
  created_at: datetime,
  expires_at: datetime,
  last_used_at: nullable(datetime),
  ended_at: nullable(datetime),
}
