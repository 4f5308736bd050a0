import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { holdable, orderStateOf } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const holdOrderSql = statement(new URL('hold-order.sql', import.meta.url), {
  parameters: { order_id: int8, reason: nullable(text), holdable: textArray, actor: text, request_id: text },
  columns: operatorOrderColumns,
})

const explainHoldSql = statement(new URL('explain-hold.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: { order_state_id: text },
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

function setHold(
  db: Database,
  request: HoldRequest & { reason: string | null },
  labels: StateLabels,
): Promise<OperatorOrder> {
  const { order_id } = request
  return settle(
    db,
    { statement: holdOrderSql, contended: `order ${order_id}` },
    async () => {
      const changed = await db.row(holdOrderSql, { ...request, holdable })
      return changed && operatorOrderOf(changed, labels)
    },
    async () => {
      const order = await db.row(explainHoldSql, { order_id })
      if (order === undefined) throw new Refusal('order_not_found', { order_id })
      const { order_state_id } = order
      if (!holdable.includes(orderStateOf(order_state_id)))
        throw new Refusal('order_not_holdable', { order_id, order_state_id })
    },
  )
}
