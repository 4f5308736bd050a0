import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { cancelledOrderOf, orderColumns, orderOf, type CancelledOrder, type StateLabels } from '../order.ts'
import { cancellable, cancellationRequested } from '../../vocabulary/order-states.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, text, textArray } from 'pg-statements/types.ts'

const cancelOrderSql = functionCall(new URL('cancel_order.sql', import.meta.url), {
  parameters: {
    client: int8,
    order_id: int8,
    requested: text,
    cancellable: textArray,
    actor: text,
    request_id: text,
  },
  answer: 'client_order(:client, :order_id, f.refused)',
  columns: orderColumns,
})

/** Requests the cancellation of an order. The order stays until an operator accepts or rejects the request. */
export async function cancelOrder(
  db: Database,
  actor: Actor,
  { order_id, request_id }: { order_id: number; request_id: string },
  labels: StateLabels,
): Promise<CancelledOrder> {
  const row = await call(db, cancelOrderSql, {
    client: actor.client_id,
    order_id,
    requested: cancellationRequested,
    cancellable,
    actor: actorName(actor),
    request_id,
  })
  return cancelledOrderOf(orderOf(row, labels), labels)
}
