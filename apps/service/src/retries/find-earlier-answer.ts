import { printable } from '../vocabulary/printable.ts'
import type { Retry } from './retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bytes, int8, nullable, plainJson, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const findEarlierAnswerSql = statement(new URL('find-earlier-answer.sql', import.meta.url), {
  parameters: { client_id: int8, operation: text, idempotency_key: text },
  columns: { request_digest: bytes, answer: plainJson },
})

const findEarlierOperatorAnswerSql = statement(new URL('find-earlier-operator-answer.sql', import.meta.url), {
  parameters: { actor: text, operation: text, idempotency_key: text },
  columns: { request_digest: bytes, answer: plainJson },
})

/** What a statement needs to store its answer, and the constraint that refuses it when the key has an answer already. */
export const retryParameters = { idempotency_key: nullable(text), request_digest: nullable(bytes) }
export const retryRefusedBy = 'idempotency_keys_pkey'
export const operatorRetryRefusedBy = 'operator_idempotency_keys_pkey'

/** The row that the operation returned before, if this is a retry. A key that was used with other fields is refused. */
export async function earlierAnswer<Row>(
  db: Database,
  scope: { client_id: number; operation: string },
  retry: Retry,
): Promise<Row | undefined> {
  const { idempotency_key } = retry
  if (idempotency_key === null) return undefined
  return answerTo(retry, await db.row(findEarlierAnswerSql, { ...scope, idempotency_key })) as Row | undefined
}

/** As `earlierAnswer`, for a request of an operator. */
export async function earlierOperatorAnswer<Row>(
  db: Database,
  scope: { actor: string; operation: string },
  retry: Retry,
): Promise<Row | undefined> {
  const { idempotency_key } = retry
  if (idempotency_key === null) return undefined
  return answerTo(retry, await db.row(findEarlierOperatorAnswerSql, { ...scope, idempotency_key })) as Row | undefined
}

function answerTo(
  { idempotency_key, request_digest }: Retry,
  earlier: { request_digest: Uint8Array; answer: object } | undefined,
): object | undefined {
  if (earlier === undefined) return undefined
  if (Buffer.compare(earlier.request_digest, request_digest ?? Buffer.alloc(0)) !== 0)
    throw new Refusal('idempotency_key_used', { idempotency_key: printable(idempotency_key ?? '') })
  return earlier.answer
}
