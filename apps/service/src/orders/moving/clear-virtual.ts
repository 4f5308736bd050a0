import { call, functionCall } from '../../functions/call.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { reservable } from '../../vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, text, textArray } from 'pg-statements/types.ts'

const clearVirtualSql = functionCall(new URL('clear_virtual.sql', import.meta.url), {
  parameters: { order_id: int8, reservable: textArray, actor: text, request_id: text },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

/** Turns a virtual order into a normal one: its goods are reserved, and it can be shipped. */
export const clearVirtual = async (
  db: Database,
  request: { order_id: number; actor: string; request_id: string },
  labels: StateLabels,
): Promise<OperatorOrder> => operatorOrderOf(await call(db, clearVirtualSql, { ...request, reservable }), labels)
