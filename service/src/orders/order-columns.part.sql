-- Generated from order-fields.ts by npm run generate.
-- The columns of an order (o), its stock (s) and its contract (c): `orderOwnColumns` in order.ts.
  o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_rate,
  o.order_shipping, o.order_advertising, o.stock_id, o.contract_id, o.order_update_datetime,
  o.order_state_id, o.order_total, o.order_tax, o.order_discount, o.order_shipping_date,
  o.order_shipped_datetime, o.order_archive_datetime, o.virtual, s.stock_name, c.contract_name,
  c.contract_default, c.contract_service, c.contract_limit,
