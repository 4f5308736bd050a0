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
  select o.*, g.line_count, y.discount, z.tax, t.total,
    :lines_digest || :prices_digest || :terms_digest as fingerprint
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
), -- include placed-order.part.sql
)
select order_id as created_order_id from placed
