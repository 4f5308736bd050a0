-- Removes a line, and with the last line its group.
with seen as materialized (
  select g.client_id, g.cart_group_id, g.cart_id, g.version, exists (
    select 1 from cart_items o
    where o.client_id = g.client_id and o.cart_group_id = g.cart_group_id
      and o.cart_item_id <> l.cart_item_id) as others
  from cart_items l
  join cart_groups g on g.client_id = l.client_id and g.cart_group_id = l.cart_group_id
  where l.client_id = :client_id and l.cart_item_id = :cart_item_id and g.cart_id = :cart_id
), held as (               -- With the version seen, the lines seen are current; otherwise the group is kept.
  select g.client_id, g.cart_group_id, g.cart_id, s.others or g.version <> s.version as stays
  from seen s
  join cart_groups g on g.client_id = s.client_id and g.cart_group_id = s.cart_group_id
  for update of g
), removed as (
  delete from cart_items l
  using held h
  where l.client_id = h.client_id and l.cart_item_id = :cart_item_id
  returning l.client_id, l.cart_item_id, l.item_id, l.quantity, h.cart_group_id, h.cart_id, h.stays
), audited as (
  insert into audit_entries (audit_action, client_id, subject, old_value, actor, request_id)
  select 'cart_item_removed', client_id, jsonb_build_object('cart_id', cart_id, 'cart_item_id', cart_item_id,
      'item_id', item_id),
    jsonb_build_object('quantity', quantity), :actor, :request_id
  from removed
  where :actor::text is not null
), kept as (
  update cart_groups g set version = g.version + 1
  from removed r
  where r.stays and g.client_id = r.client_id and g.cart_group_id = r.cart_group_id
  returning g.cart_group_id
), emptied as (
  delete from cart_groups g
  using removed r
  where not r.stays and g.client_id = r.client_id and g.cart_group_id = r.cart_group_id
  returning g.cart_group_id
), counted as (
  update carts k set line_count = k.line_count - 1, emptied_at = now()
  from removed r
  where k.client_id = r.client_id and k.cart_id = r.cart_id
  returning r.cart_item_id
)
select cart_item_id as removed_cart_item_id from counted
