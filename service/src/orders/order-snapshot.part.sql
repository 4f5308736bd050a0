-- Generated from order-fields.ts by npm run generate.
-- What an event stores of an order (o), its stock (s) and its contract (c): the fields that may change later.
jsonb_build_object('order_update_datetime', o.order_update_datetime, 'order_state_id', o.order_state_id,
  'order_total', o.order_total, 'order_tax', o.order_tax, 'order_discount', o.order_discount,
  'order_shipping_date', o.order_shipping_date, 'order_shipped_datetime', o.order_shipped_datetime,
  'order_archive_datetime', o.order_archive_datetime, 'virtual', o.virtual,
  'history_count', o.history_count, 'stock_name', s.stock_name, 'contract_name', c.contract_name,
  'contract_default', c.contract_default, 'contract_service', c.contract_service,
  'contract_limit', c.contract_limit)
