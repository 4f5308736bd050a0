/** An order as clients see it. Its columns are listed in order-fields.ts. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { includableDetails } from './order-details.ts'
import {
  historyFields,
  joinedOrderFields,
  storedContractFields,
  storedOrderFields,
  storedStockFields,
} from './order-fields.ts'
import { remarkNames } from './order-input.ts'
import { orderStateWords, type OrderState } from '../vocabulary/order-states.ts'
import { exampleStock, Stock } from '../stock/stock.ts'
import { Contract, contractOf, exampleContract } from '../clients/contracts/list-contracts.ts'
import { refer, word } from '../vocabulary/schema-parts.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import type { Values } from 'pg-statements/statement.ts'

const at = (description: string): Type.TString =>
  Type.String({ description: `${description} \`YYYY-MM-DD HH:MM:SS\`.`, examples: ['2026-11-15 09:30:00'] })

export const exampleHistoryEntry = {
  date: '2026-11-15 09:30:00',
  group: 'Change of status',
  value: 'New',
  state_id: 'new',
  text: '',
}

const exampleCommon = {
  order_create_datetime: '2026-11-15 09:30:00',
  order_update_datetime: '2026-11-15 09:30:00',
  order_total: 416.68,
  order_rate: 1,
  order_tax: 66.53,
  order_shipping: 0,
  order_discount: 0,
  order_shipping_datetime: null,
  order_archive_datetime: null,
  order_stock: exampleStock,
  order_advertising: null,
  virtual: false,
}

export const HistoryEntry = Type.Object(
  {
    date: at('When it happened.'),
    group: Type.String({
      description:
        '`Change of status` for state changes, `Change of shipping date` for rescheduling, `Change of items` for an accepted adjustment, a change of a line by the distributor, or when what is not shipped was closed, `Change of reservation` when a virtual order reserves its goods, `Shipment` when a part of the order was shipped, `Note` for a note of the distributor, `Return` when shipped goods came back, `Hold` (with the reason) and `Release` when the distributor puts the order on hold and releases it.',
    }),
    value: Type.String({ description: 'The label of the state.' }),
    state_id: word(orderStateWords, 'The state of the order after the change.'),
    text: Type.String({ description: 'A remark; may be empty.' }),
  },
  { $id: 'HistoryEntry', examples: [exampleHistoryEntry] },
)
export type HistoryEntry = Static<typeof HistoryEntry>

const common = {
  order_create_datetime: at('When the order was placed.'),
  order_update_datetime: at('When it was last changed.'),
  order_state_id: word(orderStateWords, 'The state of the order.'),
  order_total: Type.Number({ description: 'Goods minus discount, plus shipping, plus tax if tax is added on top.' }),
  order_rate: Type.Number({
    description: "The exchange rate of the order's currency to the base currency when the order was placed.",
  }),
  order_tax: Type.Number({
    description: "The tax, included in the goods or added on top, by the contract's tax mode.",
  }),
  order_shipping: Type.Number({ description: 'The shipping cost, included in the total.' }),
  order_discount: Type.Number({ description: "The contract's discount on the goods." }),
  order_shipping_datetime: Type.Union(
    [
      at('The requested shipping day at 00:00:00; once something is shipped, the time of the last shipment.'),
      Type.Null(),
    ],
    { description: 'Null until a date is set or something is shipped.' },
  ),
  order_archive_datetime: Type.Union([at('When it was archived.'), Type.Null()], {
    description: 'Null until it is archived.',
  }),
  order_history: Type.Array(refer(HistoryEntry), { description: 'Newest first.' }),
  order_stock: refer(Stock),
  order_advertising: Type.Union([Type.String(), Type.Null()], { description: 'The advertising budget.' }),
  virtual: Type.Boolean({ description: 'A virtual order holds no stock.' }),
}

export const exampleOrder = {
  order_id: 5012,
  order_number: 100_234,
  order_contact_id: 1,
  ...exampleCommon,
  order_state_id: 'new',
  order_history: [exampleHistoryEntry],
  order_contract: exampleContract,
}

/** The fields of the contract: docs/reference/contract.md, Order. */
export const orderProperties = {
  order_id: Type.Integer({ description: 'The id of the order, used in paths.' }),
  order_number: Type.Integer({ description: "The distributor's number for the order." }),
  order_contact_id: Type.Integer({ description: 'The contact whose key placed the order.' }),
  ...common,
  order_contract: refer(Contract),
}

export const Order = Type.Object(
  { ...orderProperties, ...includableDetails },
  {
    $id: 'Order',
    description: `The members from \`address\` on are shown if \`include\` names them, and in events all but \`actions\`. \`include=reference\` adds ${remarkNames}.`,
    examples: [exampleOrder],
  },
)
export type Order = Static<typeof Order>

export const CancelledOrder = Type.Object(
  {
    order_id: Type.Integer({ description: 'The id of the order, used in paths.' }),
    order_number: Type.Null({ description: 'Not shown here.' }),
    order_value: Type.String({ description: 'The label of the state.' }),
    ...common,
    order_contract: Type.Null({ description: 'Not shown here.' }),
  },
  {
    $id: 'CancelledOrder',
    description: 'The order as the answer to a cancellation shows it. Read the order to get all of its fields.',
    examples: [
      {
        order_id: 5012,
        order_number: null,
        order_value: 'Cancellation requested',
        ...exampleCommon,
        order_state_id: 'zayavka-na-otmen',
        order_history: [
          {
            ...exampleHistoryEntry,
            date: '2026-11-15 10:00:00',
            value: 'Cancellation requested',
            state_id: 'zayavka-na-otmen',
          },
          exampleHistoryEntry,
        ],
        order_contract: null,
      },
    ],
  },
)
export type CancelledOrder = Static<typeof CancelledOrder>

/** The order without its history. */
export const orderOwnColumns = {
  ...joinedOrderFields,
  ...storedOrderFields,
  ...storedStockFields,
  ...storedContractFields,
}

/** The history comes newest first. */
export const orderColumns = { ...orderOwnColumns, history: packedRows(historyFields) }

export type OrderRow = Values<typeof orderColumns>
type HistoryRow = OrderRow['history'][number]
export type StateLabels = Readonly<Record<OrderState, string>>

export function orderOf(row: OrderRow, labels: StateLabels): Order {
  return {
    order_id: row.order_id,
    order_number: row.order_number,
    order_contact_id: row.order_contact_id,
    order_create_datetime: row.order_create_datetime,
    order_update_datetime: row.order_update_datetime,
    order_state_id: row.order_state_id,
    order_total: row.order_total,
    order_rate: row.order_rate,
    order_tax: row.order_tax,
    order_shipping: row.order_shipping,
    order_discount: row.order_discount,
    order_shipping_datetime: shippingTimeOf(row),
    order_archive_datetime: row.order_archive_datetime,
    order_history: row.history.map((entry) => entryOf(entry, labels)),
    order_stock: { stock_id: row.stock_id, stock_name: row.stock_name },
    order_advertising: row.order_advertising,
    virtual: row.virtual,
    order_contract: contractOf(row),
  }
}

/** Once something is shipped, the time of the last shipment instead of the requested day. */
const shippingTimeOf = ({ order_shipped_datetime, order_shipping_date }: OrderRow): string | null =>
  order_shipped_datetime ?? (order_shipping_date === null ? null : `${order_shipping_date} 00:00:00`)

const entryOf = (row: HistoryRow, labels: StateLabels): HistoryEntry => ({
  date: row.date,
  group: row.group,
  value: labelOf(row.state_id, labels),
  state_id: row.state_id,
  text: row.text,
})

function labelOf(state_id: string, labels: StateLabels): string {
  assert(isLabelled(state_id, labels), `No label for the state ${state_id}.`)
  return labels[state_id]
}

const isLabelled = (state_id: string, labels: StateLabels): state_id is OrderState => Object.hasOwn(labels, state_id)

/** The order as the answer to a cancellation shows it: docs/reference/contract.md, Order. */
export function cancelledOrderOf(order: Order, labels: StateLabels): CancelledOrder {
  const { order_contact_id: _, ...shown } = order
  return { ...shown, order_number: null, order_contract: null, order_value: labelOf(order.order_state_id, labels) }
}
