/**
 * The fields of an order. From these lists come the columns of the statements (order.ts): those of the view
 * shown_orders.sql, of the snapshot in record_events.sql and of event-columns.part.sql.
 *
 * An event shows the order as it was at that moment. What may change later is stored with the event. What is fixed when
 * the order is placed is joined from the order when the event is read, which keeps the statement that places it short.
 */
import { addressFields, remarkFields } from './order-input.ts'
import type { OrderState } from '../vocabulary/order-states.ts'
import { itemColumns } from '../catalogue/item.ts'
import { stockColumns } from '../stock/stock.ts'
import { contractColumns } from '../clients/contracts/list-contracts.ts'
import { bool, date, datetime, int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'

/** Columns of the order (o) that never change: an event joins them. */
export const joinedOrderFields = {
  order_id: int8,
  order_number: int8,
  order_contact_id: int8,
  order_create_datetime: datetime,
  order_rate: numeric,
  order_shipping: numeric,
  order_advertising: nullable(text),
  stock_id: stockColumns.stock_id,
  contract_id: contractColumns.contract_id,
}

/** With include=terms. */
export const termsFields = {
  currency_code: text,
  tax_mode: text,
  tax_percent: numeric,
  discount_percent: numeric,
}

/** Columns of the order (o) that never change either, and that clients see on request: an event joins them. */
export const detailFields = { ...addressFields, ...termsFields, ...remarkFields }

/** Columns of an entry (h) of the order's history. */
export const historyFields = { date: datetime, group: text, state_id: text, text }

/** Columns of a line (i) of the order. Only its quantity changes, and order_item_changes records that: an event joins them. */
export const lineFields = { order_item_id: int8, order_item_quantity: int4, order_item_price: numeric, ...itemColumns }

/** Columns of a line of a shipment (p). They never change: an event joins those of the shipments up to that moment. */
export const shipmentFields = {
  shipment_id: int8,
  shipment_datetime: datetime,
  /** Empty if none was given, as the tracking text is. */
  carrier: text,
  tracking: text,
  order_item_id: int8,
  quantity: int4,
}

/** Columns of the order (o) that may change: an event stores them. */
export const storedOrderFields = {
  order_update_datetime: datetime,
  order_state_id: text,
  order_total: numeric,
  order_tax: numeric,
  order_discount: numeric,
  order_shipping_date: nullable(date),
  order_shipped_datetime: nullable(datetime),
  order_archive_datetime: nullable(datetime),
  virtual: bool,
}

/** Columns of its stock (s) that may change: an event stores them. */
export const storedStockFields = { stock_name: stockColumns.stock_name }

/** Columns of its contract (c) that may change: an event stores them. */
export const storedContractFields = {
  contract_name: contractColumns.contract_name,
  contract_default: contractColumns.contract_default,
  contract_service: contractColumns.contract_service,
  contract_limit: contractColumns.contract_limit,
}

/** Stored with an event and not shown: the event shows the history entries up to this one. */
export const unshownOrderFields = { history_count: int4 }

/** Stored fields that are the same in every new order: they are not stored with order.created. */
export const newOrderFields = {
  order_state_id: 'new' satisfies OrderState,
  order_shipping_date: null,
  order_shipped_datetime: null,
  order_archive_datetime: null,
}
