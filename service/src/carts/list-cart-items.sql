-- A cart with all of its lines, group by group. An empty cart is one row without a line; no such cart, no row.
select k.cart_id, k.cart_name, k.virtual, g.cart_group_id, g.advertising,
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
order by g.cart_group_id, l.cart_item_id
