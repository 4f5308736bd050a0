-- Turns a cart group into an order, completely or not at all.
-- Lock order: group, cart, contract, stock levels by item, client. The order is new, so nothing waits for it.
with shown as materialized ( -- The group in this statement's snapshot, with its terms.
  select g.client_id, g.cart_group_id, g.cart_id, g.version, g.stock_id, w.stock_name, g.contract_id, g.advertising,
    k.virtual, -- include ../carts/terms.part.sql
  from cart_groups g
  join carts k on k.client_id = g.client_id and k.cart_id = g.cart_id
  join client_stocks a on a.client_id = g.client_id and a.stock_id = g.stock_id
  join stocks w on w.stock_id = g.stock_id
  join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where g.client_id = :client_id and g.cart_group_id = :cart_group_id
    and (select n.block_reason is null from clients n where n.client_id = :client_id)
), lines as (              -- The lines that can be sold. One that cannot is missing here, and the counts differ.
  select l.item_id, l.quantity, p.price, round(p.price * l.quantity, s.minor_digits) as amount,
    i.product_id, d.product_name, i.brand_id, b.brand_name, i.item_vendor_code, i.item_barcode, i.item_title
  from shown s
  join cart_items l on l.client_id = s.client_id and l.cart_group_id = s.cart_group_id
  join items i on i.item_id = l.item_id and i.on_sale
  join products d on d.product_id = i.product_id
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = s.price_list_id and p.item_id = l.item_id
), sums as (
  select count(*) as line_count, sum(l.amount) as goods,
    -- include ../carts/cart-group-digests.part.sql
  from lines l
), terms as (
  select o.*, g.line_count, y.discount, z.tax, t.total
  from shown o
  cross join sums g
  -- include totals.part.sql
  where g.lines_digest = :lines_digest and g.prices_digest = :prices_digest and o.terms_digest = :terms_digest
    and g.line_count = (
      select count(*) from cart_items l where l.client_id = o.client_id and l.cart_group_id = o.cart_group_id)
), taken as (              -- An unchanged version proves that the lines read above are current.
  delete from cart_groups g
  using terms t
  where g.client_id = t.client_id and g.cart_group_id = t.cart_group_id and g.version = t.version
  returning t.*
), uncounted as (
  update carts k set line_count = k.line_count - t.line_count, emptied_at = now()
  from taken t
  where k.client_id = t.client_id and k.cart_id = t.cart_id
  returning k.cart_id
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from taken t, uncounted, lateral (select t.total as rise) x
  where c.client_id = t.client_id and c.contract_id = t.contract_id
  returning c.block_reason is null as allowed, t.tax, t.discount, t.virtual, t.stock_name,
    -- include contract-raised.part.sql
), wanted as (             -- A virtual order reserves nothing.
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
  select t.client_id, :contact_id, case when x.allowed and (t.virtual or r.line_count = t.line_count) then t.total end,
    t.rate, t.tax,
    t.order_shipping, t.discount, t.discount_percent, t.tax_mode, t.tax_percent, t.currency_code, t.minor_digits,
    t.stock_id, t.contract_id, nullif(t.advertising, ''), t.virtual,
    t.cart_group_id, :lines_digest || :prices_digest || :terms_digest, :request_digest,
    :zip, :country_code, :region_code, :city, :street, :home, :room,
    :reference, case when :reference::text is not null then (
      select :reference from clients n where n.client_id = t.client_id and n.unique_references) end, :comment
  from taken t, exposed x, (select count(*) as line_count from reserved) r
  returning client_id, order_id, order_create_datetime, order_state_id, order_total
), bought as (
  insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
  select o.client_id, o.order_id, l.item_id, l.product_id, l.product_name, l.brand_id, l.brand_name,
    l.item_vendor_code, l.item_barcode, l.item_title, l.quantity, l.price, o.order_create_datetime
  from placed o, lines l
  order by l.item_id
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id)
  select client_id, order_id, 1, 'Change of status', order_state_id from placed
), happened as (           -- The event of a new order stores only what differs between new orders.
  select o.client_id, e.place, e.event_type, o.order_id,
    jsonb_build_object('order_total', o.order_total, 'order_tax', x.tax, 'order_discount', x.discount,
      'virtual', x.virtual, 'stock_name', x.stock_name, 'contract_name', x.contract_name,
      'contract_default', x.contract_default, 'contract_service', x.contract_service,
      'contract_limit', x.contract_limit, 'exposure', x.exposure) as data
  from placed o
  cross join exposed x
  join (values (0, 'order.created'), (1, 'contract.limit_low')) e (place, event_type) on e.place <= x.limit_low
), -- include ../events/record-events.part.sql
)
select order_id as created_order_id from placed
