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
), happened as (
  select client_id, 1 as place, 'cart.marked' as event_type, null::bigint as order_id,
    jsonb_build_object('cart_id', cart_id, 'virtual', virtual) as data
  from marked
), -- include ../events/record-events.part.sql
)
select cart_id, cart_name, :virtual as virtual from seen
