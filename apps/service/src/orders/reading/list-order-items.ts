import { lineFields } from '../order-fields.ts'
import { orderItemOf, type OrderItem } from '../order-goods.ts'
import { refuseUnknownOrder } from './refuse-unknown-order.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const listOrderItemsSql = statement(new URL('list-order-items.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8 },
  columns: lineFields,
})

/** The lines of any client's order; none if all of them were dropped. */
const listOperatorOrderItemsSql = shortStatement('list-operator-order-items', {
  sql: `select o.lines from shown_orders o
    where o.order_id = :order_id`,
  parameters: { order_id: int8 },
  columns: { lines: packedRows(lineFields) },
})

export async function listOrderItems(db: Database, actor: Actor, order_id: number): Promise<OrderItem[]> {
  const lines = await db.rows(listOrderItemsSql, { client_id: actor.client_id, order_id })
  if (lines.length === 0) await refuseUnknownOrder(db, actor, order_id)
  return lines.map(orderItemOf)
}

/** The lines of any client's order. */
export async function listOperatorOrderItems(db: Database, order_id: number): Promise<OrderItem[]> {
  const order = await db.row(listOperatorOrderItemsSql, { order_id })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return order.lines.map(orderItemOf)
}
