-- Whether the client has reached its limit of carts, and no cart could make room for another.
select c.cart_count >= :carts_max and not exists (
  select 1 from carts k
  where k.client_id = c.client_id
    and -- include abandoned-cart.part.sql
  ) as limit_reached
from clients c
where c.client_id = :client_id
