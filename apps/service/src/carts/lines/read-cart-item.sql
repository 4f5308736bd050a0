select -- include cart-group-columns.part.sql
  -- include cart-line-columns.part.sql
from cart_items l
join cart_groups g on g.client_id = l.client_id and g.cart_group_id = l.cart_group_id
join carts k on k.client_id = g.client_id and k.cart_id = g.cart_id
join stocks s on s.stock_id = g.stock_id
join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
join items i on i.item_id = l.item_id
join brands b on b.brand_id = i.brand_id
left join prices p on p.price_list_id = c.price_list_id and p.item_id = l.item_id
where l.client_id = :client_id and l.cart_item_id = :cart_item_id and k.cart_id = :cart_id
