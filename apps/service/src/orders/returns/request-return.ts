import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { returnRequestColumns, returnRequestOf, returnRequestsMax, type ReturnRequest } from '../return-request.ts'
import type { Actor } from '../../identity/actor.ts'
import type { LineQuantity } from '../../input/fields.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, int8Array, text } from 'pg-statements/types.ts'

const requestReturnSql = functionCall(new URL('request_return.sql', import.meta.url), {
  parameters: {
    client: int8,
    contact: int8,
    order_id: int8,
    order_item_ids: int8Array,
    quantities: int8Array,
    reason: text,
    requests_max: int4,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'return_request_answer(f.return_request_id, f.refused)',
  columns: returnRequestColumns,
})

interface RequestedReturn {
  readonly order_id: number
  readonly lines: readonly LineQuantity[]
  readonly reason: string
  readonly request_id: string
}

/** Requests to return shipped goods. A repeated request gets the first answer, in which it waits. */
export async function requestReturn(
  db: Database,
  actor: Actor,
  { order_id, lines, reason, request_id }: RequestedReturn,
  retry: Retry,
): Promise<ReturnRequest> {
  const row = await call(db, requestReturnSql, {
    client: actor.client_id,
    contact: actor.contact_id,
    order_id,
    order_item_ids: lines.map(({ order_item_id }) => order_item_id),
    quantities: lines.map(({ quantity }) => quantity),
    reason,
    requests_max: returnRequestsMax,
    actor: actorName(actor),
    request_id,
    ...retry,
  })
  return returnRequestOf({ ...row, request_status: 'WAIT' })
}
