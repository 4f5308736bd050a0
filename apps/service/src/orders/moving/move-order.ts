import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import { possibleMoves, type Remark } from '../move-refusals.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { adjustable, cancellationRequested, movableFrom, type OrderState } from '../../vocabulary/order-states.ts'
import { shipOpen } from '../shipping/ship-order.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, nullable, numeric, text, textArray, uuid } from 'pg-statements/types.ts'

const moveOrderSql = functionCall(new URL('move_order.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    to_state: nullable(text),
    from_states: textArray,
    deciding: bool,
    unchanged_state: nullable(text),
    adjustable: textArray,
    expected: nullable(numeric),
    remark: text,
    move_id: nullable(uuid),
    actor: text,
    request_id: text,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

export type MoveRequest = { readonly order_id: number; readonly state_id: OrderState } & Remark

/**
 * Moves an order one step forward or back, or cancels it. An order that is in the state already stays unchanged. Moving
 * it to `shipped` ships everything that is open. `move_id` is stored with the history entry.
 */
export async function moveOrder(
  db: Database,
  { order_id, state_id, ...by }: MoveRequest,
  labels: StateLabels,
  move_id: string | null = null,
): Promise<OperatorOrder> {
  if (state_id === 'shipped') return shipOpen(db, { order_id, ...by }, labels, move_id)
  const { text: remark, ...who } = by
  const values = {
    order_id,
    to_state: state_id,
    from_states: movableFrom(state_id),
    deciding: false,
    unchanged_state: state_id,
    adjustable,
    expected: null,
    remark,
    move_id,
    ...who,
  }
  return operatorOrderOf(await call(db, moveOrderSql, values, possibleMoves), labels)
}

/** Decides a cancellation request: the order is cancelled, or returns to the state before the request. */
export async function decideCancellation(
  db: Database,
  {
    order_id,
    accept,
    expected = null,
    text: remark,
    ...who
  }: { order_id: number; accept: boolean } & Remark & Expecting,
  labels: StateLabels,
): Promise<OperatorOrder> {
  const values = {
    order_id,
    to_state: accept ? 'canceled' : null,
    from_states: [cancellationRequested],
    deciding: true,
    unchanged_state: null,
    adjustable,
    expected,
    remark,
    move_id: null,
    ...who,
  }
  return operatorOrderOf(await call(db, moveOrderSql, values), labels)
}
