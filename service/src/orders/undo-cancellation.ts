import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { reservable } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, nullable, numeric, text, textArray } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

export const undoHoursMax = 24 // A mistake is noticed by the next morning; later the client has planned without the order.

const undoCancellationSql = statement(new URL('undo-cancellation.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    undo_hours: int4,
    open_states: textArray,
    reason: text,
    actor: text,
    request_id: text,
  },
  columns: operatorOrderColumns,
  refusedBy: ['out_of_stock', 'contract_limit_exceeded'],
})

const explainUndoSql = statement(new URL('explain-undo.sql', import.meta.url), {
  parameters: { order_id: int8, undo_hours: int4, open_states: textArray },
  columns: {
    order_state_id: text,
    archived: bool,
    stock_id: int8,
    item_id: int8,
    requested: int4,
    available: int8,
    lacking: bool,
    contract_id: int8,
    contract_limit: numeric,
    exposure: numeric,
    order_total: numeric,
    over_limit: bool,
    cancelled_at: nullable(datetime),
    in_time: nullable(bool),
    has_lines: bool,
  },
})

interface UndoRequest {
  readonly order_id: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

/** The order returns to its state before the cancellation, if stock and limit allow it. The client reads the reason. */
export function undoCancellation(db: Database, request: UndoRequest, labels: StateLabels): Promise<OperatorOrder> {
  const { order_id } = request
  const undoable = { undo_hours: undoHoursMax, open_states: reservable }
  return settle(
    db,
    { statement: undoCancellationSql, contended: `order ${order_id}` },
    async () => {
      const restored = await db.row(undoCancellationSql, { ...request, ...undoable })
      return restored && operatorOrderOf(restored, labels)
    },
    async () => {
      const lines = await db.rows(explainUndoSql, { order_id, ...undoable })
      const [order] = lines
      if (order === undefined) throw new Refusal('order_not_found', { order_id })
      const { order_state_id, cancelled_at, contract_id, contract_limit: limit, exposure: used } = order
      const why = impossible(order)
      if (why !== undefined)
        throw new Refusal('cancellation_not_undoable', { order_id, order_state_id, cancelled_at, why })
      const lacking = lines
        .filter((line) => line.lacking)
        .map(({ item_id, stock_id, available, requested }) =>
          refusalError('out_of_stock', { item_id, stock_id, available, requested }),
        )
      if (lacking.length > 0) throw new Refusal(lacking)
      if (order.over_limit)
        throw new Refusal('contract_limit_exceeded', { contract_id, limit, used, requested: order.order_total })
    },
  )
}

function impossible(order: {
  order_state_id: string
  archived: boolean
  in_time: boolean | null
  has_lines: boolean
}): 'not_cancelled' | 'archived' | 'too_late' | 'no_lines' | undefined {
  if (order.order_state_id !== 'canceled') return 'not_cancelled'
  if (order.archived) return 'archived'
  if (!order.has_lines) return 'no_lines'
  return order.in_time === true ? undefined : 'too_late'
}
