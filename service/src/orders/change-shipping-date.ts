import { actorName } from '../access/actor.ts'
import { historyMax } from './order-actions.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import { orderColumns, orderOf, type Order, type StateLabels } from './order.ts'
import { orderStateOf, reschedulable } from './order-states.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { date, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const parameters = {
  order_id: int8,
  shipping_date: date,
  days_ahead_max: int4,
  reschedulable: textArray,
  history_max: int4,
  actor: text,
  request_id: text,
}

const changeShippingDateSql = statement(new URL('change-shipping-date.sql', import.meta.url), {
  parameters: { client_id: int8, ...parameters },
  columns: orderColumns,
})

const rescheduleOrderSql = statement(new URL('reschedule-order.sql', import.meta.url), {
  parameters,
  columns: operatorOrderColumns,
})

const explainShippingDateSql = statement(new URL('explain-shipping-date.sql', import.meta.url), {
  parameters: { client_id: nullable(int8), order_id: int8, days_ahead_max: int4 },
  columns: { order_state_id: text, history_count: int4, earliest_date: nullable(date), latest_date: date },
})

interface ShippingDateRequest {
  readonly order_id: number
  readonly shipping_date: string
  readonly days_ahead_max: number
  readonly request_id: string
}

/** Reschedules an order. Requesting the current day again changes nothing. */
export async function changeShippingDate(
  db: Database,
  actor: Actor,
  request: ShippingDateRequest,
  labels: StateLabels,
): Promise<Order> {
  const values = {
    ...request,
    client_id: actor.client_id,
    reschedulable,
    history_max: historyMax,
    actor: actorName(actor),
  }
  return settle(
    db,
    { statement: changeShippingDateSql, contended: `order ${request.order_id}` },
    async () => {
      const row = await db.row(changeShippingDateSql, values)
      return row && orderOf(row, labels)
    },
    () => explain(db, actor.client_id, request),
  )
}

/** The same by an operator, for an order of any client. */
export async function rescheduleOrder(
  db: Database,
  request: ShippingDateRequest & { readonly actor: string },
  labels: StateLabels,
): Promise<OperatorOrder> {
  return settle(
    db,
    { statement: rescheduleOrderSql, contended: `order ${request.order_id}` },
    async () => {
      const rescheduled = await db.row(rescheduleOrderSql, { ...request, reschedulable, history_max: historyMax })
      return rescheduled && operatorOrderOf(rescheduled, labels)
    },
    () => explain(db, null, request),
  )
}

async function explain(
  db: Database,
  client_id: number | null,
  { order_id, shipping_date, days_ahead_max }: ShippingDateRequest,
): Promise<void> {
  const order = await db.row(explainShippingDateSql, { client_id, order_id, days_ahead_max })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  const { order_state_id, earliest_date, latest_date } = order
  const allowed = reschedulable.includes(orderStateOf(order_state_id))
  const shippable = earliest_date !== null && shipping_date >= earliest_date && shipping_date <= latest_date
  if (!allowed || !shippable) {
    throw new Refusal(
      'shipping_date_refused',
      { shipping_date, earliest_date, latest_date, order_state_id, reschedulable: allowed },
      { field: 'shipping_date' },
    )
  }
  if (order.history_count >= historyMax) throw new Refusal('order_history_full', { order_id, limit: historyMax })
}
