import { actorName } from '../access/actor.ts'
import { cancelledOrderOf, orderColumns, orderOf, type CancelledOrder, type StateLabels } from './order.ts'
import { cancellable, cancellationRequested } from './order-states.ts'
import { stateOfOrder } from './state-of-order.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const cancelOrderSql = statement(new URL('cancel-order.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    order_id: int8,
    requested: text,
    cancellable: textArray,
    actor: text,
    request_id: text,
  },
  columns: orderColumns,
})

/** Requests the cancellation of an order. The order stays until an operator accepts or rejects the request. */
export async function cancelOrder(
  db: Database,
  actor: Actor,
  { order_id, request_id }: { order_id: number; request_id: string },
  labels: StateLabels,
): Promise<CancelledOrder> {
  const { client_id } = actor
  const values = {
    client_id,
    order_id,
    request_id,
    requested: cancellationRequested,
    cancellable,
    actor: actorName(actor),
  }
  const row = await settle(
    db,
    { statement: cancelOrderSql, contended: `order ${order_id}` },
    () => db.row(cancelOrderSql, values),
    async () => {
      const { order_state_id, partly_shipped } = await stateOfOrder(db, actor, order_id)
      const possible: string[] = [...cancellable, cancellationRequested]
      if (!possible.includes(order_state_id)) throw new Refusal('order_not_cancellable', { order_id, order_state_id })
      if (partly_shipped) throw new Refusal('order_partly_shipped', { order_id })
    },
  )
  return cancelledOrderOf(orderOf(row, labels), labels)
}
