import { call, functionCall } from '../../functions/call.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { holdable } from '../../vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, nullable, text, textArray } from 'pg-statements/types.ts'

const holdOrderSql = functionCall(new URL('hold_order.sql', import.meta.url), {
  parameters: { order_id: int8, reason: nullable(text), holdable: textArray, actor: text, request_id: text },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface HoldRequest {
  readonly order_id: number
  readonly actor: string
  readonly request_id: string
}

/** Nobody moves the order until it is released. A second hold with another reason replaces the reason. */
export const holdOrder = (
  db: Database,
  request: HoldRequest & { reason: string },
  labels: StateLabels,
): Promise<OperatorOrder> => setHold(db, request, labels)

/** An order that is not on hold stays unchanged. */
export const releaseOrder = (db: Database, request: HoldRequest, labels: StateLabels): Promise<OperatorOrder> =>
  setHold(db, { ...request, reason: null }, labels)

const setHold = async (
  db: Database,
  request: HoldRequest & { reason: string | null },
  labels: StateLabels,
): Promise<OperatorOrder> => operatorOrderOf(await call(db, holdOrderSql, { ...request, holdable }), labels)
