-- Creates a cart, unless the client has reached its limit.
with counted as (          -- The constraint cart_limit_reached refuses the whole statement.
  update clients set cart_count = cart_count + 1
  where client_id = :client_id
  returning client_id
), made as (
  insert into carts (client_id, cart_name)
  select client_id, :cart_name from counted
  returning client_id, cart_id, cart_name, virtual
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select client_id, 'create-cart', :idempotency_key, :request_digest, row_to_json(made)
  from made
  where :idempotency_key::text is not null
)
select cart_id, cart_name, virtual from made
