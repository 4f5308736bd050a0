import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import { operatorReturnRequestOf, returnRequestColumns, type OperatorReturnRequest } from '../return-request.ts'
import { closeReturnRequestShape } from './withdraw-return.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const acceptReturnRequestSql = functionCall(new URL('accept_return_request.sql', import.meta.url), {
  parameters: {
    return_request_id: int8,
    instruction: text,
    expected: nullable(int8),
    actor: text,
    request_id: text,
  },
  answer: 'return_request_answer(:return_request_id, f.refused)',
  columns: returnRequestColumns,
})

const rejectReturnRequestSql = functionCall(new URL('close_return_request.sql', import.meta.url), {
  ...closeReturnRequestShape,
  name: 'reject-return-request',
})

interface Decision extends Expecting {
  readonly return_request_id: number
  readonly actor: string
  readonly request_id: string
}

/** Says how the goods come back. Their arrival ends the request: return-goods.ts. */
export const acceptReturnRequest = async (
  db: Database,
  { expected = null, ...decision }: Decision & { instruction: string },
): Promise<OperatorReturnRequest> =>
  operatorReturnRequestOf(await call(db, acceptReturnRequestSql, { ...decision, expected }))

/** Stores the reason, which the client can read. The goods can be requested again. */
export const rejectReturnRequest = async (
  db: Database,
  { expected = null, ...decision }: Decision & { message: string },
): Promise<OperatorReturnRequest> =>
  operatorReturnRequestOf(
    await call(db, rejectReturnRequestSql, { ...decision, expected, client: null, order_id: null }),
  )
