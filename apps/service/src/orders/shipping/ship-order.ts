import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import { possibleMoves, type Remark } from '../move-refusals.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { movableFrom, type OrderState } from '../../vocabulary/order-states.ts'
import type { LineQuantity } from '../../input/fields.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import { noRetry, type Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, int8Array, nullable, text, textArray, uuid } from 'pg-statements/types.ts'

const shipOrderSql = functionCall(new URL('ship_order.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    from_states: textArray,
    order_item_ids: nullable(int8Array),
    quantities: nullable(int8Array),
    expected: nullable(int8),
    carrier: text,
    tracking: text,
    unchanged_state: nullable(text),
    remark: text,
    move_id: nullable(uuid),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

export interface ShipmentRequest extends Remark, Expecting {
  readonly order_id: number
  /** If absent, everything that is open is shipped. */
  readonly lines?: readonly LineQuantity[] | undefined
  readonly carrier?: string | undefined
  readonly tracking?: string | undefined
}

const fromStates = movableFrom('shipped')

/** Records a shipment: its goods leave the stock. The order becomes `shipped` with the last piece. */
export const shipOrder = (
  db: Database,
  request: ShipmentRequest,
  labels: StateLabels,
  retry: Retry,
): Promise<OperatorOrder> => ship(db, request, labels, { move_id: null, unchanged_state: null, ...retry })

/** Ships everything that is open; a shipped order stays unchanged. `move_id` is stored with the history entry. */
export const shipOpen = (
  db: Database,
  request: Remark & { order_id: number },
  labels: StateLabels,
  move_id: string | null,
): Promise<OperatorOrder> => ship(db, request, labels, { move_id, unchanged_state: 'shipped', ...noRetry })

async function ship(
  db: Database,
  { lines, expected = null, carrier = '', tracking = '', text: remark, ...request }: ShipmentRequest,
  labels: StateLabels,
  move: Retry & { move_id: string | null; unchanged_state: OrderState | null },
): Promise<OperatorOrder> {
  const values = {
    ...request,
    from_states: fromStates,
    order_item_ids: lines?.map(({ order_item_id }) => order_item_id) ?? null,
    quantities: lines?.map(({ quantity }) => quantity) ?? null,
    expected,
    carrier,
    tracking,
    remark,
    ...move,
  }
  return operatorOrderOf(await call(db, shipOrderSql, values, possibleMoves), labels)
}
