/**
 * What an event tells. Statements keep with an event what may change later, as it lies in the columns; what never changes is joined when
 * the event is read, and the views of the API make the order or the adjustment of both, in the service's own zone and words.
 */
import { clientEventTypes } from './event-types.ts'
import { contractOf } from '../clients/list-contracts.ts'
import { adjustmentColumns, adjustmentOf, type AdjustmentRow } from '../orders/adjustment.ts'
import { orderOf, orderOwnColumns, type HistoryRow, type OrderRow, type StateLabels } from '../orders/order.ts'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int8, json, nullable, text } from 'pg-statements/types.ts'

const { order_number, order_contact_id, order_create_datetime, order_update_datetime, order_rate, order_shipping } =
  orderOwnColumns
const { adjustment_date_create, item_id, product_id, product_name, item_title, item_vendor_code } = adjustmentColumns

/** Those of the order are null where the event is about none, and those of the adjustment too. */
export const eventColumns = {
  event_number: int8,
  event_type: text,
  event_datetime: datetime,
  order_id: nullable(int8),
  data: json,
  order_number: nullable(order_number),
  order_contact_id: nullable(order_contact_id),
  order_create_datetime: nullable(order_create_datetime),
  order_update_datetime: nullable(order_update_datetime),
  order_archive_datetime: orderOwnColumns.order_archive_datetime,
  order_rate: nullable(order_rate),
  order_shipping: nullable(order_shipping),
  order_advertising: orderOwnColumns.order_advertising,
  stock_id: nullable(int8),
  contract_id: nullable(int8),
  history: nullable(json),
  adjustment_date_create: nullable(adjustment_date_create),
  item_id: nullable(item_id),
  product_id: nullable(product_id),
  product_name: nullable(product_name),
  item_title: nullable(item_title),
  item_vendor_code: nullable(item_vendor_code),
}
export type EventRow = Values<typeof eventColumns>

export type EventData = Record<string, unknown>

/** What every order is when it is placed: its event does not keep it. */
const asPlaced = { order_state_id: 'new', order_shipping_date: null }

/** What the distributor reads. Events from before they kept the order stay as they are. */
export function eventDataOf(row: EventRow, labels: StateLabels): EventData {
  const { data, ...found } = row
  if (found.order_number !== null) {
    const order = { ...asPlaced, ...data, ...found } as unknown as OrderRow & { exposure: number }
    if (row.event_type === 'contract.limit_low') return { ...contractOf(order), contract_used: order.exposure }
    return { ...orderOf(order, found.history as unknown as HistoryRow[], labels) }
  }
  if (found.adjustment_date_create !== null)
    return { ...adjustmentOf({ ...data, ...found } as unknown as AdjustmentRow) }
  return data
}

/** What the client reads: of the distributor's changes only what concerns it, the fields that the catalogue of types names. */
export function clientDataOf(row: EventRow, labels: StateLabels): EventData {
  const data = eventDataOf(row, labels)
  if (/^(order|adjustment)\./.test(row.event_type)) return data
  const shown = Object.keys(clientEventTypes[row.event_type]?.example ?? {})
  return Object.fromEntries(Object.entries(data).filter(([name]) => shown.includes(name)))
}
