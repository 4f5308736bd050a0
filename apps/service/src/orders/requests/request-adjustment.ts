import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { adjustmentColumns, adjustmentOf, type Adjustment } from '../adjustment.ts'
import { adjustable } from '../../vocabulary/order-states.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const requestAdjustmentSql = functionCall(new URL('request_adjustment.sql', import.meta.url), {
  parameters: {
    client: int8,
    contact: int8,
    order_id: int8,
    order_item_id: int8,
    quantity: int4,
    reason: nullable(text),
    adjustable: textArray,
    actor: text,
    request_id: text,
  },
  answer: 'adjustment_answer(f.adjustment_id, f.refused)',
  columns: adjustmentColumns,
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
  const row = await call(db, requestAdjustmentSql, {
    client: actor.client_id,
    contact: actor.contact_id,
    order_id: request.order_id,
    order_item_id: request.order_item_id,
    quantity: request.quantity,
    reason: request.reason ?? null,
    adjustable,
    actor: actorName(actor),
    request_id: request.request_id,
  })
  return adjustmentOf({ ...row, adjustment_status: 'WAIT', difference: 0 })
}
