/** What clients' keys and operators' keys have in common in the API. */
import Type, { type Static } from 'typebox'
import type { Database } from 'pg-statements/database.ts'
import { datetime, nullable } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../vocabulary/refusals.ts'
import { earlierOperatorAnswer } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'

/** The answer to issuing a key. Only a digest is stored, so this is the only time that the key is shown. */
export const IssuedKey = Type.Object({
  key_id: Type.Integer({ description: 'Identifies the key in paths and in the log.' }),
  key: Type.String({ description: 'The key itself, for the Authorization header.' }),
})
export type IssuedKey = Static<typeof IssuedKey>

/** A retry cannot be answered like the first request: the key is not stored. Throws if this is one. */
export async function refuseIssuedKey(
  db: Database,
  scope: { actor: string; operation: string },
  retry: Retry,
): Promise<void> {
  const earlier = await earlierOperatorAnswer<{ key_id: number }>(db, scope, retry)
  if (earlier !== undefined) throw new Refusal('key_already_issued', { key_id: earlier.key_id })
}

const dayMs = 24 * 60 * 60 * 1_000

/** When a new key expires, by the age that keys may reach. Throws if it is to expire a day or more after that. */
export function expiryWithin({
  expires_at = null,
  keyDaysMax = 0,
}: {
  expires_at?: string | null | undefined
  keyDaysMax?: number
}) {
  const expiresAt = expires_at === null || keyDaysMax === 0 ? 0 : Date.parse(expires_at)
  if (expiresAt > Date.now() + (keyDaysMax + 1) * dayMs)
    throw new Refusal([
      refusalError('field_invalid', {
        field: 'expires_on',
        value: expires_at ?? '',
        rule: `a day at most ${keyDaysMax} days ahead`,
      }),
    ])
  return { expires_at, days_max: keyDaysMax === 0 ? null : keyDaysMax }
}

const timeOrNull = (description: string): Type.TUnion<[Type.TString, Type.TNull]> =>
  Type.Union([Type.String(), Type.Null()], { description })

export const keyTimes = {
  created_at: Type.String({ description: 'When it was issued, `YYYY-MM-DD HH:MM:SS`.' }),
  expires_at: timeOrNull('When it expires; null for never.'),
  revoked_at: timeOrNull('When it was revoked; null if it was not.'),
  last_used_at: timeOrNull('When it was last used; null for never. By default, a use shows up here within a minute.'),
}

export const keyTimesExample = {
  created_at: '2026-11-15 09:30:00',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-11-16 07:02:11',
}

export const keyTimesColumns = {
  created_at: datetime,
  expires_at: nullable(datetime),
  revoked_at: nullable(datetime),
  last_used_at: nullable(datetime),
}
