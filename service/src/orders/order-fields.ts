/**
 * The fields of an order, each named once. From these lists come the column types of the statements (order.ts) and, by
 * `npm run generate`, `order-columns.part.sql`, `order-snapshot.part.sql` and the parts in `events/`.
 *
 * An event shows the order as it was at that moment. What may change later is stored with the event. What is fixed when
 * the order is placed is joined from the order when the event is read, which keeps the statement that places it short.
 */
import type { OrderState } from './order-states.ts'
import { stockColumns } from '../catalogue/stock.ts'
import { contractColumns } from '../clients/list-contracts.ts'
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

/** Columns of the order (o) that may change: an event stores them. */
export const storedOrderFields = {
  order_update_datetime: datetime,
  order_state_id: text,
  order_total: numeric,
  order_tax: numeric,
  order_discount: numeric,
  order_shipping_date: nullable(date),
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

/** Stored fields that are the same in every new order: place-order.sql does not store them with order.created. */
export const newOrderFields = {
  order_state_id: 'new' satisfies OrderState,
  order_shipping_date: null,
  order_archive_datetime: null,
}
