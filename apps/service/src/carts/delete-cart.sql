-- Empties and deletes a cart. Its groups are locked first, in the order of add-rows.part.sql; they and their lines are
-- deleted with the cart.
with held as (
  select cart_group_id from cart_groups
  where client_id = :client_id and cart_id = :cart_id
  order by stock_id, contract_id, advertising
  for update
), lines as materialized ( -- For the trace of an operator.
  select l.item_id, g.stock_id, g.contract_id, l.quantity
  from held h
  join cart_groups g on g.client_id = :client_id and g.cart_group_id = h.cart_group_id
  join cart_items l on l.client_id = g.client_id and l.cart_group_id = g.cart_group_id
  where :actor::text is not null
  order by l.cart_item_id
), deleted as (
  delete from carts
  where client_id = :client_id and cart_id = :cart_id and (select count(*) from held) >= 0 -- chained: held first
  returning client_id, cart_id, cart_name
), counted as (
  update clients c set cart_count = cart_count - 1
  from deleted d
  where c.client_id = d.client_id
  returning d.cart_id
), audited as (
  insert into audit_entries (audit_action, client_id, subject, old_value, actor, request_id)
  select 'cart_deleted', d.client_id, jsonb_build_object('cart_id', d.cart_id),
    jsonb_build_object('cart_name', d.cart_name, 'lines', (select coalesce(jsonb_agg(l), '[]') from lines l)),
    :actor, :request_id
  from deleted d
  where :actor is not null
)
select cart_id as removed_cart_id from counted
