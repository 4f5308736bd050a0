import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import {
  adjustable,
  cancellationRequested,
  movableFrom,
  movesFrom,
  orderStateOf,
  type OrderState,
} from './order-states.ts'
import type { Remark } from './remark.ts'
import { shipOpen } from './ship-order.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text, textArray, uuid } from 'pg-statements/types.ts'
import { Refusal, refusalError, type RefusalError } from '../refusals.ts'

const moveOrderSql = statement(new URL('move-order.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    /** Null means back to the state before the request. */
    to_state: nullable(text),
    from_states: textArray,
    adjustable: textArray,
    /** An order in this state is returned unchanged. */
    unchanged_state: nullable(text),
    text,
    move_id: nullable(uuid),
    actor: text,
    request_id: text,
  },
  columns: operatorOrderColumns,
})

const explainMoveSql = statement(new URL('explain-move.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: { order_state_id: text, hold_reason: nullable(text), partly_shipped: bool },
})

export type MoveRequest = { readonly order_id: number; readonly state_id: OrderState } & Remark

/**
 * Moves an order one step forward or back, or cancels it. An order that is in the state already stays unchanged. Moving
 * it to `shipped` ships everything that is open. `move_id` is stored with the history entry.
 */
export function moveOrder(
  db: Database,
  { order_id, state_id, ...remark }: MoveRequest,
  labels: StateLabels,
  move_id: string | null = null,
): Promise<OperatorOrder> {
  if (state_id === 'shipped') return shipOpen(db, { order_id, ...remark }, labels, move_id)
  const from = movableFrom(state_id)
  return move(
    db,
    { order_id, from, to: state_id, unchanged_state: state_id, move_id, ...remark },
    labels,
    (order_state_id) => {
      const possible = movesFrom(order_state_id)
      return from.includes(order_state_id)
        ? undefined
        : refusalError('order_move_refused', { order_id, order_state_id, state_id, possible })
    },
  )
}

/** Decides a cancellation request: the order is cancelled, or returns to the state before the request. */
export function decideCancellation(
  db: Database,
  { order_id, accept, ...remark }: { order_id: number; accept: boolean } & Remark,
  labels: StateLabels,
): Promise<OperatorOrder> {
  const decision: Move = {
    order_id,
    from: [cancellationRequested],
    to: accept ? 'canceled' : null,
    unchanged_state: null,
    move_id: null,
    ...remark,
  }
  return move(db, decision, labels, (order_state_id) =>
    order_state_id === cancellationRequested
      ? undefined
      : refusalError('cancellation_not_requested', { order_id, order_state_id }),
  )
}

interface Move extends Remark {
  readonly order_id: number
  readonly from: readonly OrderState[]
  readonly to: OrderState | null
  readonly unchanged_state: OrderState | null
  readonly move_id: string | null
}

async function move(
  db: Database,
  { order_id, from, to, ...remark }: Move,
  labels: StateLabels,
  refuse: (state: OrderState) => RefusalError | undefined,
): Promise<OperatorOrder> {
  const values = { ...remark, order_id, from_states: [...from], to_state: to, adjustable }
  return settle(
    db,
    { statement: moveOrderSql, contended: `order ${order_id}` },
    async () => {
      const moved = await db.row(moveOrderSql, values)
      return moved && operatorOrderOf(moved, labels)
    },
    async () => {
      const order = await db.row(explainMoveSql, { order_id })
      if (order === undefined) throw new Refusal('order_not_found', { order_id })
      const wrongState = refuse(orderStateOf(order.order_state_id))
      if (wrongState) throw new Refusal([wrongState])
      const { hold_reason } = order
      if (hold_reason !== null && order.order_state_id !== cancellationRequested)
        throw new Refusal('order_held', { order_id, hold_reason })
      if ((to === 'new' || to === 'processing' || to === 'canceled') && order.partly_shipped)
        throw new Refusal('order_partly_shipped', { order_id })
    },
  )
}
