/** A shipment of an order: which lines left the stock, how many pieces of each, when and how. */
import Type, { type Static } from 'typebox'
import type { shipmentFields } from './order-fields.ts'
import { textOrNull } from '../vocabulary/schema-ref.ts'
import type { Values } from 'pg-statements/statement.ts'

export const exampleShipment = {
  shipment_id: 310,
  shipment_datetime: '2026-11-15 10:00:00',
  carrier: 'DHL',
  tracking: '00340434161094015902',
  lines: [{ order_item_id: 20_044, quantity: 3 }],
}

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
