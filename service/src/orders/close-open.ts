import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { movableFrom, movesFrom, orderStateOf } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const closeOpenSql = statement(new URL('close-open.sql', import.meta.url), {
  parameters: { order_id: int8, from_states: textArray, reason: text, actor: text, request_id: text },
  columns: operatorOrderColumns,
})

const explainCloseOpenSql = statement(new URL('explain-close-open.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: { order_state_id: text, hold_reason: nullable(text), partly_shipped: bool },
})

interface ClosingRequest {
  readonly order_id: number
  /** The client reads it in the order's history. */
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

const fromStates = movableFrom('shipped')

/** What is not shipped of an order will not be delivered: quantities, totals, stock and exposure fall by it. */
export function closeOpen(db: Database, request: ClosingRequest, labels: StateLabels): Promise<OperatorOrder> {
  return settle(
    db,
    { statement: closeOpenSql, contended: `order ${request.order_id}` },
    async () => {
      const closed = await db.row(closeOpenSql, { ...request, from_states: fromStates })
      return closed && operatorOrderOf(closed, labels)
    },
    () => explain(db, request.order_id),
  )
}

async function explain(db: Database, order_id: number): Promise<void> {
  const order = await db.row(explainCloseOpenSql, { order_id })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  const { hold_reason, partly_shipped } = order
  const state = orderStateOf(order.order_state_id)
  if (!fromStates.includes(state)) {
    const possible = movesFrom(state)
    throw new Refusal('order_move_refused', { order_id, order_state_id: state, state_id: 'shipped', possible })
  }
  if (hold_reason !== null) throw new Refusal('order_held', { order_id, hold_reason })
  if (!partly_shipped) throw new Refusal('nothing_shipped', { order_id })
}
