-- Places an order with the terms of the step `terms`, the totals of the step `exposed`, which has raised the exposure
-- of the contract (each one row or none), and the goods of the step `lines`, which are sorted by item.
-- Lock order: stock levels by item, client.
-- Without a contact, the order gets the client's first. The remark stands in the history's first entry.
-- The include ends in an open parenthesis, as that of record-events.part.sql does.
reserved as materialized ( -- The constraint out_of_stock can refuse the whole statement.
  select case when t.virtual then t.line_count -- A virtual order reserves nothing.
    else reserve_goods((select stock_id from terms), l.items, l.quantities) end as line_count
  from exposed t, (select array_agg(item_id) as items, array_agg(quantity) as quantities from lines) l
), placed as (             -- A line without a stock level makes the total null, and so does what is not allowed:
                           -- every_line_reserved refuses.
  insert into orders (client_id, order_contact_id, order_total, order_rate, order_tax, order_shipping, order_discount,
    discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id, order_advertising,
    virtual, cart_group_id, cart_group_fingerprint, request_digest, zip, country_code, region_code, city, street, home,
    room, reference, unique_reference, comment)
  select o.client_id, coalesce(:contact_id, (
      -- include first-contact.part.sql
    )),
    case when t.allowed and r.line_count = t.line_count then t.total end, o.rate, t.tax,
    o.order_shipping, t.discount, o.discount_percent, o.tax_mode, o.tax_percent, o.currency_code, o.minor_digits,
    o.stock_id, o.contract_id, nullif(o.advertising, ''), t.virtual,
    o.cart_group_id, o.fingerprint, :request_digest,
    :zip, :country_code, :region_code, :city, :street, :home, :room,
    :reference, case when o.unique_references then :reference end, :comment
  from terms o, exposed t, reserved r
  returning client_id, order_id, order_number, order_contact_id, order_create_datetime, order_state_id, order_total
), bought as (
  insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
  select o.client_id, o.order_id, l.item_id, l.product_id, l.product_name, l.brand_id, l.brand_name,
    l.item_vendor_code, l.item_barcode, l.item_title, l.quantity, l.price, o.order_create_datetime
  from placed o, lines l
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, 1, 'Change of status', order_state_id, :remark from placed
), numbered as (           -- As record-events.part.sql. A client that has been blocked meanwhile gets a number below 0,
                           -- which client_not_blocked refuses: no order follows the event of the block.
  update clients c set
    event_number = case when c.block_reason is null then c.event_number + 1 + t.limit_low else -1 end,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from placed o, exposed t
  where c.client_id = o.client_id
  returning c.client_id, c.event_number - t.limit_low as first_number, c.event_transaction, t.limit_low, o.order_id,
    -- The event of a new order stores only what differs between new orders.
    jsonb_build_object('order_total', o.order_total, 'order_tax', t.tax, 'order_discount', t.discount,
      'virtual', t.virtual, 'stock_name', (select stock_name from terms), 'contract_name', t.contract_name,
      'contract_default', t.contract_default, 'contract_service', t.contract_service,
      'contract_limit', t.contract_limit, 'exposure', t.exposure) as data
), recorded as (
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id, n.first_number + e.place, e.event_type, n.order_id, n.data, :actor,
    :request_id
  from numbered n
  join (values (0, 'order.created'), (1, 'contract.limit_low')) e (place, event_type) on e.place <= n.limit_low
