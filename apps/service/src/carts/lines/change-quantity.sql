-- Sets the quantity of a line. The group's row is locked first and its version raised, so that no order is placed on
-- lines that the client has not seen.
with changed as (
  update cart_groups g set version = g.version + 1
  from cart_items l
  join items i on i.item_id = l.item_id
  where l.client_id = :client_id and l.cart_item_id = :cart_item_id
    and next_quantity(:quantity, i.quantity_min, i.quantity_multiple) = :quantity
    and g.client_id = l.client_id and g.cart_group_id = l.cart_group_id and g.cart_id = :cart_id
  returning g.client_id, g.cart_group_id, g.cart_id, g.stock_id, g.contract_id, g.advertising
), seen as materialized (   -- The quantity before, for the trace of an operator.
  select l.quantity
  from changed g
  join cart_items l on l.client_id = g.client_id and l.cart_item_id = :cart_item_id
  where :actor::text is not null
  for no key update of l
), line as (
  update cart_items l set quantity = :quantity
  from changed g
  where l.client_id = g.client_id and l.cart_item_id = :cart_item_id
    and (select count(*) from seen) >= 0 -- chained: seen first
  returning l.client_id, l.cart_item_id, l.item_id, l.quantity, l.last_price
), audited as (
  insert into audit_entries (audit_action, client_id, subject, old_value, new_value, actor, request_id)
  select 'cart_item_changed', l.client_id, jsonb_build_object('cart_id', :cart_id::bigint, 'cart_item_id',
      l.cart_item_id, 'item_id', l.item_id),
    jsonb_build_object('quantity', s.quantity), jsonb_build_object('quantity', l.quantity), :actor, :request_id
  from line l, seen s
  where s.quantity <> l.quantity
)
select -- include cart-group-columns.part.sql
  -- include cart-line-columns.part.sql
from line l
cross join changed g
join carts k on k.client_id = g.client_id and k.cart_id = g.cart_id
join stocks s on s.stock_id = g.stock_id
join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
join items i on i.item_id = l.item_id
join brands b on b.brand_id = i.brand_id
left join prices p on p.price_list_id = c.price_list_id and p.item_id = l.item_id
