-- Why the lines of an order could not be added to a cart.
select
  exists (select 1 from carts where client_id = :client_id and cart_id = :cart_id) as cart_there,
  exists (select 1 from orders where client_id = :client_id and order_id = :order_id) as order_there
