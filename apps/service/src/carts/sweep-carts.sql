-- Deletes those of the next carts that have been empty for long. The clients are locked last, by id.
-- Returns one row with the last cart that was examined, if there was any.
with page as materialized (
  select client_id, cart_id, line_count from carts
  where (client_id, cart_id) > (:after_client, :after_cart)
  order by client_id, cart_id
  limit 200 -- With 500 the planner may sort a small table instead of reading its index.
), held as (               -- A locked cart is skipped: it may be about to be filled.
  select k.client_id, k.cart_id
  from page p
  cross join lateral (
    select k.client_id, k.cart_id from carts k
    where k.client_id = p.client_id and k.cart_id = p.cart_id
      and -- include abandoned-cart.part.sql
    for update of k skip locked
  ) k
  where p.line_count = 0
), swept as (
  delete from carts k
  using held h
  where k.client_id = h.client_id and k.cart_id = h.cart_id
  returning k.client_id
), held_clients as (
  select c.client_id, n.carts
  from (
    select client_id, count(*)::integer as carts from swept group by client_id
  ) n
  join clients c on c.client_id = n.client_id
  order by c.client_id
  for no key update of c
), counted as (
  update clients c set cart_count = c.cart_count - h.carts
  from held_clients h
  where c.client_id = h.client_id
)
select client_id, cart_id, (select count(*) from swept) as swept
from page
order by client_id desc, cart_id desc
limit 1
