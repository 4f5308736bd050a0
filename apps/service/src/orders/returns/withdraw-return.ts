import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { withdrawnMessage } from '../adjustment.ts'
import { returnRequestColumns, returnRequestOf, type ReturnRequest } from '../return-request.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

export const closeReturnRequestShape = {
  parameters: {
    client: nullable(int8),
    order_id: nullable(int8),
    return_request_id: int8,
    message: text,
    expected: nullable(int8),
    actor: text,
    request_id: text,
  },
  answer: 'return_request_answer(:return_request_id, f.refused)',
  columns: returnRequestColumns,
}

const withdrawReturnSql = functionCall(new URL('close_return_request.sql', import.meta.url), {
  ...closeReturnRequestShape,
  name: 'withdraw-return',
})

/** Withdraws a request that has not been decided. Withdrawing it again returns the same. */
export async function withdrawReturn(
  db: Database,
  actor: Actor,
  request: { order_id: number; return_request_id: number; request_id: string },
): Promise<ReturnRequest> {
  const row = await call(db, withdrawReturnSql, {
    ...request,
    client: actor.client_id,
    message: withdrawnMessage,
    expected: null,
    actor: actorName(actor),
  })
  return returnRequestOf(row)
}
