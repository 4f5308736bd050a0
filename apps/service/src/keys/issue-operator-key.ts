import type { Role } from '../identity/actor.ts'
import { drawKey } from './draw-key.ts'
import { expiryWithin, refuseIssuedKey, type IssuedKey } from './issued-key.ts'
import { requireOperator } from './operators/operator.ts'
import { operatorKeys } from '../identity/key-kinds.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bytes, datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import { noRetry, type Retry } from '../retries/retry.ts'

const issueOperatorKeySql = statement(new URL('issue-operator-key.sql', import.meta.url), {
  parameters: {
    key_id: int8,
    operator_id: nullable(int8),
    operator_name: text,
    role: text,
    digest: bytes,
    expires_at: nullable(datetime),
    days_max: nullable(int4),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { key_id: int8 },
  refusedBy: [operatorRetryRefusedBy],
})

interface OperatorKeyInput {
  /** Whose key it is; by default that of a new operator. */
  readonly operator_id?: number | undefined
  readonly operator_name: string
  readonly role: Role
  readonly expires_at?: string | undefined
  /** 0 for any age. */
  readonly keyDaysMax?: number
  /** Who issues it. */
  readonly actor: string
  readonly request_id: string
  readonly retry?: Retry | undefined
}

export async function issueOperatorKey(db: Database, input: OperatorKeyInput): Promise<IssuedKey> {
  const { retry = noRetry } = input
  const { key_id, key, digest } = await drawKey(db, operatorKeys)
  const values = {
    key_id,
    operator_id: input.operator_id ?? null,
    operator_name: input.operator_name,
    role: input.role,
    digest,
    ...expiryWithin(input),
    actor: input.actor,
    request_id: input.request_id,
    ...retry,
  }
  await settle(
    db,
    { statement: issueOperatorKeySql, contended: input.actor },
    () => db.row(issueOperatorKeySql, values),
    async () => {
      await refuseIssuedKey(db, { actor: input.actor, operation: issueOperatorKeySql.name }, retry)
      if (input.operator_id !== undefined) await requireOperator(db, input.operator_id)
    },
  )
  return { key_id, key }
}
