/** The packing slip of a shipment: what is in the parcel, where it goes, and what is still to come. */
import Type, { type Static } from 'typebox'
import { OrderAddress } from '../order-details.ts'
import { exampleAddress } from '../order-input.ts'
import type { StateLabels } from '../order.ts'
import { readOperatorOrder } from '../finding/read-operator-orders.ts'
import { exampleShipment } from '../order-goods.ts'
import { exampleItem, Item } from '../../catalogue/item.ts'
import { refer, textOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const PackingSlip = Type.Object(
  {
    order_id: Type.Integer({ description: 'The order.' }),
    order_number: Type.Integer({ description: 'Its number.' }),
    order_create_datetime: Type.String({ description: 'When it was placed.' }),
    reference: textOrNull("The client's own order number."),
    comment: textOrNull("The client's remark."),
    client_name: Type.String({ description: 'The client.' }),
    contact_name: Type.String({ description: 'Who placed the order.' }),
    address: refer(OrderAddress),
    stock_name: Type.String({ description: 'The stock that ships it.' }),
    shipment_id: Type.Integer({ description: 'The shipment.' }),
    shipment_datetime: Type.String({ description: 'When it left the stock.' }),
    carrier: textOrNull('Who carries it.'),
    tracking: textOrNull("The carrier's number or address for tracking it."),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line.' }),
        item: refer(Item),
        ordered: Type.Integer({ description: 'How many pieces are ordered.' }),
        quantity: Type.Integer({ description: 'How many are in this shipment.' }),
        open: Type.Integer({ description: 'How many are still to be shipped at present.' }),
      }),
      { description: 'What is in the shipment.' },
    ),
  },
  {
    $id: 'PackingSlip',
    examples: [
      {
        order_id: 5012,
        order_number: 100_234,
        order_create_datetime: '2026-11-14 09:30:00',
        reference: 'PO-2026-118',
        comment: null,
        client_name: 'Lindner Car Service',
        contact_name: 'Anna Lindner',
        address: exampleAddress,
        stock_name: 'Berlin',
        shipment_id: exampleShipment.shipment_id,
        shipment_datetime: exampleShipment.shipment_datetime,
        carrier: 'DHL',
        tracking: '00340434161094015902',
        lines: [{ order_item_id: 20_044, item: exampleItem, ordered: 4, quantity: 3, open: 1 }],
      },
    ],
  },
)
export type PackingSlip = Static<typeof PackingSlip>

export async function readPackingSlip(
  db: Database,
  { order_id, shipment_id }: { readonly order_id: number; readonly shipment_id: number },
  labels: StateLabels,
): Promise<PackingSlip> {
  const order = await readOperatorOrder(db, order_id, labels)
  const shipment = order.shipments.find((one) => one.shipment_id === shipment_id)
  if (shipment === undefined) throw new Refusal('shipment_not_found', { order_id, shipment_id })
  const lines = new Map(order.items.map((line) => [line.order_item_id, line]))
  return {
    order_id,
    order_number: order.order_number,
    order_create_datetime: order.order_create_datetime,
    reference: order.reference,
    comment: order.comment,
    client_name: order.client_name,
    contact_name: order.order_contact.contact_name,
    address: order.address,
    stock_name: order.order_stock.stock_name,
    shipment_id,
    shipment_datetime: shipment.shipment_datetime,
    carrier: shipment.carrier,
    tracking: shipment.tracking,
    lines: shipment.lines.flatMap(({ order_item_id, quantity }) => {
      const line = lines.get(order_item_id)
      if (line === undefined) return []
      const { order_item: item, order_item_quantity: ordered, order_item_open: open } = line
      return [{ order_item_id, item, ordered, quantity, open }]
    }),
  }
}
