/** A line of an order: as the contract shows it, and with what was shipped of it. */
import Type, { type Static } from 'typebox'
import { lineFields } from './order-fields.ts'
import { goodsIn, type OrderState } from '../vocabulary/order-states.ts'
import type { ShippedLine } from './shipment.ts'
import { exampleItem, Item, itemOf } from '../catalogue/item.ts'
import { refer } from '../vocabulary/schema-ref.ts'
import type { Values } from 'pg-statements/statement.ts'

/** A page of operators' orders or of events ends after the one that reaches it. About 20 ms of a process's time. */
export const bytesPerPageMax = 1024 * 1024

const exampleOrderItem = {
  order_item_id: 20_044,
  order_item_quantity: 4,
  order_item_price: 104.17,
  order_item: exampleItem,
}

export const OrderItem = Type.Object(
  {
    order_item_id: Type.Integer({ description: 'The id of the line in paths.' }),
    order_item_quantity: Type.Integer({ description: 'The quantity; accepted adjustments change it.' }),
    order_item_price: Type.Number({ description: 'The unit price when the order was placed.' }),
    order_item: refer(Item),
  },
  {
    $id: 'OrderItem',
    description: 'A line of an order. The price is that of the order; the quantity may have been changed since.',
    examples: [exampleOrderItem],
  },
)
export type OrderItem = Static<typeof OrderItem>

export const exampleOrderLine = { ...exampleOrderItem, order_item_shipped: 0, order_item_open: 4 }

export const OrderLine = Type.Object(
  {
    ...OrderItem.properties,
    order_item_shipped: Type.Integer({ description: 'How much of the quantity has been shipped.' }),
    order_item_open: Type.Integer({ description: 'How much is still to be shipped; 0 in a cancelled order.' }),
  },
  {
    $id: 'OrderLine',
    description: 'A line of an order, with what has been shipped of it.',
    examples: [exampleOrderLine],
  },
)
export type OrderLine = Static<typeof OrderLine>

export type LineRow = Values<typeof lineFields>

export const orderItemOf = (row: LineRow): OrderItem => ({
  order_item_id: row.order_item_id,
  order_item_quantity: row.order_item_quantity,
  order_item_price: row.order_item_price,
  order_item: itemOf(row),
})

/** In a shipped order everything is shipped, also if that was before shipments were recorded. */
export function orderLinesOf(
  rows: readonly LineRow[],
  shippedLines: readonly ShippedLine[],
  state: OrderState,
): OrderLine[] {
  const goods = goodsIn(state)
  const shippedOf = new Map<number, number>()
  for (const { order_item_id, quantity } of shippedLines)
    shippedOf.set(order_item_id, (shippedOf.get(order_item_id) ?? 0) + quantity)
  return rows.map((row) => {
    const { order_item_quantity } = row
    const shipped = goods === 'shipped' ? order_item_quantity : (shippedOf.get(row.order_item_id) ?? 0)
    return {
      ...orderItemOf(row),
      order_item_shipped: shipped,
      order_item_open: goods === 'open' ? order_item_quantity - shipped : 0,
    }
  })
}
