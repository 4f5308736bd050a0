-- Turns a cart group into an order, completely or not at all.
-- Lock order: group, cart, contract, stock levels by item, client. The order is new, so nothing waits for it.
with terms as materialized ( -- The group in this statement's snapshot, and its terms. Steps pass on only what differs.
  select g.client_id, g.cart_group_id, g.cart_id, g.version, g.stock_id, w.stock_name, g.contract_id, g.advertising,
    n.unique_references, (
      -- include key-fingerprint.part.sql
    ) as fingerprint,
    -- include ../carts/terms.part.sql
  from cart_groups g
  join clients n on n.client_id = g.client_id and n.block_reason is null
  join client_stocks a on a.client_id = g.client_id and a.stock_id = g.stock_id
  join stocks w on w.stock_id = g.stock_id
  join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where g.client_id = :client_id and g.cart_group_id = :cart_group_id
), lines as materialized ( -- By item: stock levels are locked in this order. What cannot be sold has no amount.
  select l.item_id, l.quantity, p.price,
    case when i.on_sale then round(p.price * l.quantity, s.minor_digits) end as amount,
    i.product_id, d.product_name, i.brand_id, b.brand_name, i.item_vendor_code, i.item_barcode, i.item_title
  from terms s
  join cart_items l on l.client_id = s.client_id and l.cart_group_id = s.cart_group_id
  join items i on i.item_id = l.item_id
  join products d on d.product_id = i.product_id
  join brands b on b.brand_id = i.brand_id
  left join prices p on p.price_list_id = s.price_list_id and p.item_id = l.item_id
  order by l.item_id
), sums as materialized (  -- If it is what the client was shown.
  select o.version, g.line_count, y.discount, z.tax, t.total
  from terms o
  cross join (
    select count(*) as line_count, count(l.amount) as sold_count, sum(l.amount) as goods,
      -- include ../carts/cart-group-digests.part.sql
    from lines l
  ) g
  -- include totals.part.sql
  where g.lines_digest = :lines_digest and g.prices_digest = :prices_digest and o.terms_digest = :terms_digest
    and g.sold_count = g.line_count
), taken as (              -- An unchanged version proves that the lines read above are current.
  delete from cart_groups x using sums s
  where x.client_id = :client_id and x.cart_group_id = :cart_group_id and x.version = s.version
  returning s.line_count, s.discount, s.tax, s.total
), uncounted as (
  update carts k set line_count = k.line_count - t.line_count, emptied_at = now()
  from taken t
  where k.client_id = :client_id and k.cart_id = (select cart_id from terms)
  returning k.virtual, k.virtual = :virtual as as_shown, t.line_count, t.discount, t.tax, t.total
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from uncounted t, lateral (select t.total as rise) x
  where c.client_id = :client_id and c.contract_id = (select contract_id from terms)
  returning -- include allowed-order.part.sql
    -- include contract-raised.part.sql
), -- include placed-order.part.sql
)
select order_id as created_order_id from placed
