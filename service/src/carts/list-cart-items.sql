-- A cart with its lines, group by group. An empty cart is one row without a line; no such cart, no row.
with lines as materialized (
  select g.cart_group_id, k.cart_id, k.cart_name, k.virtual, g.advertising,
    s.stock_id, s.stock_name,
    c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit,
    l.cart_item_id, l.quantity, coalesce(p.price, l.last_price) as price,
    i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, b.brand_id, b.brand_name
  from carts k
  left join cart_groups g on g.client_id = k.client_id and g.cart_id = k.cart_id
  left join stocks s on s.stock_id = g.stock_id
  left join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  left join cart_items l on l.client_id = g.client_id and l.cart_group_id = g.cart_group_id
  left join items i on i.item_id = l.item_id
  left join brands b on b.brand_id = i.brand_id
  left join prices p on p.price_list_id = c.price_list_id and p.item_id = l.item_id
  where k.client_id = :client_id and k.cart_id = :cart_id
), digests as materialized (
  select l.cart_group_id,
    -- include cart-group-digests.part.sql
  from lines l
  group by l.cart_group_id
)
select l.cart_group_id, l.cart_id, l.cart_name, l.virtual, l.advertising, l.stock_id, l.stock_name,
  l.contract_id, l.contract_name, l.contract_default, l.contract_service, l.contract_limit,
  d.lines_digest, d.prices_digest,
  l.cart_item_id, l.quantity, l.price,
  l.item_id, l.item_vendor_code, l.item_barcode, l.item_title, l.brand_id, l.brand_name
from lines l
left join digests d on d.cart_group_id = l.cart_group_id
order by l.cart_group_id, l.cart_item_id
