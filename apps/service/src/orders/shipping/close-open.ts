import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import { possibleMoves } from '../move-refusals.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { movableFrom } from '../../vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, nullable, text, textArray } from 'pg-statements/types.ts'

const closeOpenSql = functionCall(new URL('close_open.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    from_states: textArray,
    reason: text,
    expected: nullable(int8),
    actor: text,
    request_id: text,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface ClosingRequest extends Expecting {
  readonly order_id: number
  /** The client reads it in the order's history. */
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

const fromStates = movableFrom('shipped')

/** What is not shipped of an order will not be delivered: quantities, totals, stock and exposure fall by it. */
export async function closeOpen(
  db: Database,
  { expected = null, ...request }: ClosingRequest,
  labels: StateLabels,
): Promise<OperatorOrder> {
  const closed = await call(db, closeOpenSql, { ...request, expected, from_states: fromStates }, possibleMoves)
  return operatorOrderOf(closed, labels)
}
