with seen as materialized ( -- The name before, for the trace of an operator.
  select cart_name from carts
  where client_id = :client_id and cart_id = :cart_id and :actor::text is not null
  for no key update
), renamed as (
  update carts set cart_name = :cart_name
  where client_id = :client_id and cart_id = :cart_id and (select count(*) from seen) >= 0 -- chained: seen first
  returning client_id, cart_id, cart_name, virtual
), audited as (
  insert into audit_entries (audit_action, client_id, subject, old_value, new_value, actor, request_id)
  select 'cart_renamed', r.client_id, jsonb_build_object('cart_id', r.cart_id),
    jsonb_build_object('cart_name', s.cart_name), jsonb_build_object('cart_name', r.cart_name), :actor, :request_id
  from renamed r, seen s
  where s.cart_name <> r.cart_name
)
select cart_id, cart_name, virtual from renamed
