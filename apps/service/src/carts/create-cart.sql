-- Creates a cart, unless the client has reached its limit. There a cart that has been empty for long makes room.
with abandoned as (        -- One that another transaction has locked may be about to be filled.
  select k.client_id, k.cart_id
  from clients c
  join carts k on k.client_id = c.client_id
  where c.client_id = :client_id and c.cart_count >= :carts_max
    and -- include abandoned-cart.part.sql
  order by k.emptied_at, k.cart_id
  limit 1
  for update of k skip locked
), removed as (
  delete from carts k
  using abandoned a
  where k.client_id = a.client_id and k.cart_id = a.cart_id
  returning k.cart_id
), counted as (            -- The constraint cart_limit_reached refuses the whole statement.
  update clients set cart_count = cart_count + 1 - (select count(*)::integer from removed)
  where client_id = :client_id
  returning client_id
), made as (
  insert into carts (client_id, cart_name)
  select client_id, :cart_name from counted
  returning client_id, cart_id, cart_name, virtual
), audited as (
  insert into audit_entries (audit_action, client_id, subject, new_value, actor, request_id)
  select 'cart_created', client_id, jsonb_build_object('cart_id', cart_id), jsonb_build_object('cart_name', cart_name),
    :actor, :request_id
  from made
  where :actor::text is not null
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select client_id, 'create-cart', :idempotency_key, :request_digest, row_to_json(made)
  from made
  where :idempotency_key::text is not null
)
select cart_id, cart_name, virtual from made
