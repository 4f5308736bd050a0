-- Generated from ../orders/order-fields.ts and ../orders/adjustment.ts by npm run generate.
-- The columns of an event (e), and of what event-joins.part.sql joins to it: `eventColumns` in event-data.ts.
  e.event_number, e.event_type, e.event_datetime, e.order_id, e.data,
  o.order_number, o.order_contact_id, o.order_create_datetime, o.order_rate, o.order_shipping,
  o.order_advertising, o.stock_id, o.contract_id, o.history,
  (e.data->>'order_update_datetime')::timestamptz as order_update_datetime,
  (e.data->>'order_archive_datetime')::timestamptz as order_archive_datetime,
  a.adjustment_date_create, a.item_id, a.product_id, a.product_name, a.item_title,
  a.item_vendor_code
