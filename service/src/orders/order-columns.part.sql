-- What an order shows of itself (o), its stock (s) and its contract (c): `orderOwnColumns` in order.ts.
  o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_update_datetime, o.order_state_id,
  o.order_total, o.order_rate, o.order_tax, o.order_shipping, o.order_discount, o.order_shipping_date, o.order_archive_datetime,
  o.order_advertising, o.virtual, s.stock_id, s.stock_name,
  c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit,
