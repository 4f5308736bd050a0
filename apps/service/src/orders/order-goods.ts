/** The lines of an order, and what happened to their goods: shipments and returns. */
import Type, { type Static } from 'typebox'
import type { lineFields, shipmentFields } from './order-fields.ts'
import { goodsIn, type OrderState } from '../vocabulary/order-states.ts'
import { exampleItem, Item, itemOf } from '../catalogue/item.ts'
import { examplePromise, Promised } from '../stock/promise.ts'
import { refer, textOrNull } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, text } from 'pg-statements/types.ts'

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

export const OrderPromise = Type.Object(
  {
    order_item_id: Type.Integer({ description: 'The line of the order.' }),
    promise: refer(Promised),
  },
  {
    $id: 'OrderPromise',
    description:
      'When the stock can ship what is open of a line. Back-orders are served in the order of their creation.',
    examples: [{ order_item_id: 20_044, promise: examplePromise }],
  },
)
export type OrderPromise = Static<typeof OrderPromise>

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

export const exampleShipment = {
  shipment_id: 310,
  shipment_datetime: '2026-11-15 10:00:00',
  carrier: 'DHL',
  tracking: '00340434161094015902',
  lines: [{ order_item_id: 20_044, quantity: 3 }],
}

/** Which lines left the stock, how many pieces of each, when and how. */
export const Shipment = Type.Object(
  {
    shipment_id: Type.Integer({ description: 'The id of the shipment.' }),
    shipment_datetime: Type.String({ description: 'When it left the stock, `YYYY-MM-DD HH:MM:SS`.' }),
    carrier: textOrNull('Who carries it, if that is known.'),
    tracking: textOrNull("The carrier's number or address for tracking it, if there is one."),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line of the order.' }),
        quantity: Type.Integer({ description: 'How many pieces of it are in this shipment.' }),
      }),
      { description: 'What is in it.' },
    ),
  },
  { $id: 'Shipment', description: 'A shipment of an order.', examples: [exampleShipment] },
)
export type Shipment = Static<typeof Shipment>

export type ShippedLine = Values<typeof shipmentFields>

/** Expects the lines of a shipment next to each other. */
export function shipmentsOf(rows: readonly ShippedLine[]): Shipment[] {
  const shipments: Shipment[] = []
  for (const { shipment_id, shipment_datetime, carrier, tracking, order_item_id, quantity } of rows) {
    let shipment = shipments.at(-1)
    if (shipment?.shipment_id !== shipment_id) {
      shipment = { shipment_id, shipment_datetime, carrier: carrier || null, tracking: tracking || null, lines: [] }
      shipments.push(shipment)
    }
    shipment.lines.push({ order_item_id, quantity })
  }
  return shipments
}

export const exampleReturn = {
  return_id: 12,
  return_datetime: '2026-11-20 10:00:00',
  reason: 'Does not fit.',
  restocked: true,
  lines: [{ order_item_id: 20_044, quantity: 1 }],
}

/** Which lines came back, how many pieces of each, why, and whether they are in the stock again. */
export const OrderReturn = Type.Object(
  {
    return_id: Type.Integer({ description: 'The id of the return.' }),
    return_datetime: Type.String({ description: 'When it was recorded, `YYYY-MM-DD HH:MM:SS`.' }),
    reason: Type.String({ description: 'Why the goods came back.' }),
    restocked: Type.Boolean({ description: 'Whether the goods are in the stock again.' }),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line of the order.' }),
        quantity: Type.Integer({ description: 'How many pieces of it came back.' }),
      }),
      { description: 'What came back.' },
    ),
  },
  { $id: 'OrderReturn', description: 'A return of shipped goods.', examples: [exampleReturn] },
)
export type OrderReturn = Static<typeof OrderReturn>

export const orderReturns = Type.Array(refer(OrderReturn), {
  description: 'What came back of the shipped goods, oldest first.',
})

/** Columns of a line (r) of a return, with the return that it belongs to. */
export const returnFields = {
  return_id: int8,
  return_datetime: datetime,
  reason: text,
  restocked: bool,
  order_item_id: int8,
  quantity: int4,
}

/** Expects the lines of a return next to each other. */
export function returnsOf(rows: readonly Values<typeof returnFields>[]): OrderReturn[] {
  const returns: OrderReturn[] = []
  for (const { return_id, return_datetime, reason, restocked, order_item_id, quantity } of rows) {
    let last = returns.at(-1)
    if (last?.return_id !== return_id) {
      last = { return_id, return_datetime, reason, restocked, lines: [] }
      returns.push(last)
    }
    last.lines.push({ order_item_id, quantity })
  }
  return returns
}
