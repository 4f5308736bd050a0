import { call, functionCall } from '../../functions/call.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { reservable } from '../../vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, text, textArray } from 'pg-statements/types.ts'

export const undoHoursMax = 24 // A mistake is noticed by the next morning; later the client has planned without the order.

const undoCancellationSql = functionCall(new URL('undo_cancellation.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    undo_hours: int4,
    open_states: textArray,
    reason: text,
    actor: text,
    request_id: text,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface UndoRequest {
  readonly order_id: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

/** The order returns to its state before the cancellation, if stock and limit allow it. The client reads the reason. */
export async function undoCancellation(
  db: Database,
  request: UndoRequest,
  labels: StateLabels,
): Promise<OperatorOrder> {
  const undoable = { undo_hours: undoHoursMax, open_states: reservable }
  return operatorOrderOf(await call(db, undoCancellationSql, { ...request, ...undoable }), labels)
}
