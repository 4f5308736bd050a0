import { actorName } from '../access/actor.ts'
import { adjustmentColumns, adjustmentOf, type Adjustment } from './adjustment.ts'
import { adjustable, orderStateOf } from './order-states.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const lineParameters = { client_id: int8, order_id: int8, order_item_id: int8 }

const requestAdjustmentSql = statement(new URL('request-adjustment.sql', import.meta.url), {
  parameters: {
    ...lineParameters,
    quantity: int4,
    reason: nullable(text),
    adjustable: textArray,
    actor: text,
    request_id: text,
  },
  columns: adjustmentColumns,
})

const explainAdjustmentSql = statement(new URL('explain-adjustment.sql', import.meta.url), {
  parameters: lineParameters,
  columns: { order_state_id: text, order_item_quantity: nullable(int4) },
})

interface RequestedQuantity {
  readonly order_id: number
  readonly order_item_id: number
  readonly quantity: number
  /** Ignored if the request repeats another. */
  readonly reason?: string | undefined
  readonly request_id: string
}

/**
 * Requests a change of a line's quantity. The line stays unchanged until an operator accepts. A request for its present
 * quantity leaves nothing to decide: it is accepted at once, and answered in the form of a request that waits, as every
 * other.
 */
export async function requestAdjustment(db: Database, actor: Actor, request: RequestedQuantity): Promise<Adjustment> {
  const { client_id } = actor
  const values = {
    client_id,
    order_id: request.order_id,
    order_item_id: request.order_item_id,
    quantity: request.quantity,
    reason: request.reason ?? null,
    adjustable,
    actor: actorName(actor),
    request_id: request.request_id,
  }
  const row = await settle(
    db,
    { statement: requestAdjustmentSql, contended: `order ${request.order_id}` },
    () => db.row(requestAdjustmentSql, values),
    () => explain(db, client_id, request),
  )
  return adjustmentOf({ ...row, adjustment_status: 'WAIT', difference: 0 })
}

async function explain(db: Database, client_id: number, { order_id, order_item_id }: RequestedQuantity): Promise<void> {
  const line = await db.row(explainAdjustmentSql, { client_id, order_id, order_item_id })
  if (line === undefined) throw new Refusal('order_not_found', { order_id })
  const { order_state_id, order_item_quantity } = line
  if (order_item_quantity === null) throw new Refusal('order_item_not_found', { order_id, order_item_id })
  if (!adjustable.includes(orderStateOf(order_state_id)))
    throw new Refusal('order_not_adjustable', { order_id, order_state_id })
}
