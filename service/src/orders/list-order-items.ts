import Type, { type Static } from 'typebox'
import { exampleItem, Item, itemColumns, itemOf } from '../catalogue/item.ts'
import type { Actor } from '../access/actor.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { int4, int8, numeric } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const OrderItem = Type.Object(
  {
    order_item_id: Type.Integer({ description: 'The id of the line in paths.' }),
    order_item_quantity: Type.Integer({ description: 'The quantity; accepted adjustments change it.' }),
    order_item_price: Type.Number({ description: 'The unit price when the order was placed.' }),
    order_item: refer(Item),
  },
  {
    $id: 'OrderItem',
    additionalProperties: false,
    description: 'A line of an order, as it was when the order was placed.',
    examples: [{ order_item_id: 20_044, order_item_quantity: 4, order_item_price: 55.26, order_item: exampleItem }],
  },
)
export type OrderItem = Static<typeof OrderItem>

const columns = { order_item_id: int8, order_item_quantity: int4, order_item_price: numeric, ...itemColumns }

const listOrderItemsSql = statement(new URL('list-order-items.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8 },
  columns,
})

const listOperatorOrderItemsSql = statement(new URL('list-operator-order-items.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns,
})

export async function listOrderItems(db: Database, { client_id }: Actor, order_id: number): Promise<OrderItem[]> {
  return orderItemsOf(order_id, await db.rows(listOrderItemsSql, { client_id, order_id }))
}

/** The lines of any client's order. */
export async function listOperatorOrderItems(db: Database, order_id: number): Promise<OrderItem[]> {
  return orderItemsOf(order_id, await db.rows(listOperatorOrderItemsSql, { order_id }))
}

function orderItemsOf(order_id: number, rows: readonly Values<typeof columns>[]): OrderItem[] {
  if (rows.length === 0) throw new Refusal('order_not_found', { order_id })
  return rows.map((row) => ({
    order_item_id: row.order_item_id,
    order_item_quantity: row.order_item_quantity,
    order_item_price: row.order_item_price,
    order_item: itemOf(row),
  }))
}
