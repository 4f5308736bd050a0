-- Marks a cart as virtual, or removes the mark. A cart that is already marked so stays unchanged.
with seen as (
  select client_id, cart_id, cart_name, virtual from carts
  where client_id = :client_id and cart_id = :cart_id
  for no key update
), marked as (
  update carts c set virtual = :virtual
  from seen s
  where c.client_id = s.client_id and c.cart_id = s.cart_id and s.virtual <> :virtual
  returning c.client_id, c.cart_id, c.virtual
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from marked m
  where c.client_id = m.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, m.client_id, n.event_number, 'cart.marked', jsonb_build_object('cart_id', m.cart_id, 'virtual', m.virtual),
    :actor, :request_id
  from marked m, numbered n
)
select cart_id, cart_name, :virtual as virtual from seen
