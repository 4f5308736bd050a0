-- Makes a cart, unless the client has as many as it may have.
with counted as (          -- The constraint cart_limit_reached refuses the whole statement.
  update clients set cart_count = cart_count + 1
  where client_id = :client_id
  returning client_id
)
insert into carts (client_id, cart_name)
select client_id, :cart_name from counted
returning cart_id, cart_name, virtual
