-- Why an item could not be added to a cart: which of the rows that adding needs exist.
select
  k.cart_id is not null as cart_there,
  coalesce(k.line_count, 0) as line_count,
  i.item_id is not null as item_there,
  coalesce(i.on_sale, false) as on_sale,
  case when not i.on_sale then with_substitutes(json_build_object('item_id', i.item_id), i.item_id) end as unsold,
  s.stock_id is not null as stock_there,
  a.stock_id is not null as stock_serving,
  c.contract_id,
  p.price is not null as priced,
  coalesce(l.quantity, 0) as in_cart,
  coalesce(i.quantity_min, 1) as quantity_min,
  coalesce(i.quantity_multiple, 1) as quantity_multiple,
  next_quantity(coalesce(l.quantity, 0) + :quantity, i.quantity_min, i.quantity_multiple) as next_quantity
from (values (1)) as one (row)
left join carts k on k.client_id = :client_id and k.cart_id = :cart_id
left join items i on i.item_id = :item_id
left join stocks s on s.stock_id = :stock_id
left join client_stocks a on a.client_id = :client_id and a.stock_id = s.stock_id
left join contracts c on c.client_id = :client_id
  and (c.contract_id = :contract_id or (:contract_id is null and c.contract_default))
left join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
left join cart_groups g on g.client_id = k.client_id and g.cart_id = k.cart_id and g.stock_id = s.stock_id
  and g.contract_id = c.contract_id and g.advertising = :advertising
left join cart_items l on l.client_id = g.client_id and l.cart_group_id = g.cart_group_id and l.item_id = i.item_id
