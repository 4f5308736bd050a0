import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { historyMax } from '../order-actions.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import { orderColumns, orderOf, type Order, type StateLabels } from '../order.ts'
import { reschedulable } from '../../vocabulary/order-states.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { date, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const file = new URL('reschedule_order.sql', import.meta.url)
const parameters = {
  client: nullable(int8),
  order_id: int8,
  shipping_date: date,
  days_ahead_max: int4,
  reschedulable: textArray,
  history_max: int4,
  actor: text,
  request_id: text,
}

const changeShippingDateSql = functionCall(file, {
  name: 'change-shipping-date',
  parameters,
  answer: 'client_order(:client, :order_id, f.refused)',
  columns: orderColumns,
})

const rescheduleOrderSql = functionCall(file, {
  parameters,
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface ShippingDateRequest {
  readonly order_id: number
  readonly shipping_date: string
  readonly days_ahead_max: number
  readonly request_id: string
}

const fixed = { reschedulable, history_max: historyMax }

/** Reschedules an order. Requesting the current day again changes nothing. */
export async function changeShippingDate(
  db: Database,
  actor: Actor,
  request: ShippingDateRequest,
  labels: StateLabels,
): Promise<Order> {
  const by = { client: actor.client_id, actor: actorName(actor) }
  return orderOf(await call(db, changeShippingDateSql, { ...request, ...by, ...fixed }), labels)
}

/** The same by an operator, for an order of any client. */
export async function rescheduleOrder(
  db: Database,
  request: ShippingDateRequest & { readonly actor: string },
  labels: StateLabels,
): Promise<OperatorOrder> {
  return operatorOrderOf(await call(db, rescheduleOrderSql, { ...request, client: null, ...fixed }), labels)
}
