-- Places an order with the terms and totals of the step `taken` (one row or none) and the goods of the step `lines`.
-- The step `exposed` has raised the exposure of the contract. Lock order: stock levels by item, client.
-- Without a contact, the order gets the client's first. The remark stands in the history's first entry.
-- The include ends in an open parenthesis, as that of record-events.part.sql does.
wanted as (                -- A virtual order reserves nothing.
  select s.stock_id, s.item_id, l.quantity
  from exposed, taken t, lines l
  join stock_levels s on s.item_id = l.item_id
  where s.stock_id = t.stock_id and not t.virtual
  order by s.stock_id, s.item_id
  for no key update of s
), reserved as (           -- The constraint out_of_stock can refuse the whole statement.
  update stock_levels s set reserved = s.reserved + w.quantity
  from wanted w
  where s.stock_id = w.stock_id and s.item_id = w.item_id
  returning s.item_id
), placed as (             -- A line without a stock level makes the total null, and a blocked contract does:
                           -- every_line_reserved refuses.
  insert into orders (client_id, order_contact_id, order_total, order_rate, order_tax, order_shipping, order_discount,
    discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id, order_advertising,
    virtual, cart_group_id, cart_group_fingerprint, request_digest, zip, country_code, region_code, city, street, home,
    room, reference, unique_reference, comment)
  select t.client_id, coalesce(:contact_id, (select min(n.contact_id) from contacts n where n.client_id = t.client_id)),
    case when x.allowed and (t.virtual or r.line_count = t.line_count) then t.total end, t.rate, t.tax,
    t.order_shipping, t.discount, t.discount_percent, t.tax_mode, t.tax_percent, t.currency_code, t.minor_digits,
    t.stock_id, t.contract_id, nullif(t.advertising, ''), t.virtual,
    t.cart_group_id, t.fingerprint, :request_digest,
    :zip, :country_code, :region_code, :city, :street, :home, :room,
    :reference, case when :reference::text is not null then (
      select :reference from clients n where n.client_id = t.client_id and n.unique_references) end, :comment
  from taken t, exposed x, (select count(*) as line_count from reserved) r
  returning client_id, order_id, order_number, order_contact_id, order_create_datetime, order_state_id, order_total
), bought as (
  insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
  select o.client_id, o.order_id, l.item_id, l.product_id, l.product_name, l.brand_id, l.brand_name,
    l.item_vendor_code, l.item_barcode, l.item_title, l.quantity, l.price, o.order_create_datetime
  from placed o, lines l
  order by l.item_id
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, 1, 'Change of status', order_state_id, :remark from placed
), happened as (           -- The event of a new order stores only what differs between new orders.
  select o.client_id, e.place, e.event_type, o.order_id,
    jsonb_build_object('order_total', o.order_total, 'order_tax', x.tax, 'order_discount', x.discount,
      'virtual', x.virtual, 'stock_name', x.stock_name, 'contract_name', x.contract_name,
      'contract_default', x.contract_default, 'contract_service', x.contract_service,
      'contract_limit', x.contract_limit, 'exposure', x.exposure) as data
  from placed o
  cross join exposed x
  join (values (0, 'order.created'), (1, 'contract.limit_low')) e (place, event_type) on e.place <= x.limit_low
), numbered as (           -- As record-events.part.sql. A client that has been blocked meanwhile gets a number below 0,
                           -- which client_not_blocked refuses: no order follows the event of the block.
  update clients c set event_number = case when c.block_reason is null then c.event_number + h.events else -1 end,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from (select client_id, count(*) as events from happened group by client_id having count(*) > 0) h -- few-rows hint
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  -- include ../events/insert-events.part.sql
