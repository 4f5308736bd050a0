-- Empties and deletes a cart. Its groups are locked first, in the order of add-rows.part.sql; they and their lines are
-- deleted with the cart.
with held as (
  select cart_group_id from cart_groups
  where client_id = :client_id and cart_id = :cart_id
  order by stock_id, contract_id, advertising
  for update
), deleted as (
  delete from carts
  where client_id = :client_id and cart_id = :cart_id and (select count(*) from held) >= 0 -- chained: held first
  returning client_id, cart_id
), counted as (
  update clients c set cart_count = cart_count - 1
  from deleted d
  where c.client_id = d.client_id
  returning d.cart_id
)
select cart_id as removed_cart_id from counted
