-- outside a transaction
-- Adjustments of any status, newest first: of all clients, and of one.
create index concurrently adjustments_by_status on adjustments (adjustment_status, adjustment_id);
create index concurrently adjustments_of_client on adjustments (client_id, adjustment_status, adjustment_id);

-- Orders of all clients by what is searched for, newest first. Only orders with a reference pay for the first.
create index concurrently orders_of_all_by_reference
  on orders (lower(reference) collate "C", order_create_datetime desc, order_id desc) where reference is not null;
create index concurrently orders_of_all_by_city
  on orders (lower(city) collate "C", order_create_datetime desc, order_id desc);

-- Orders of all clients in other orders. A new order has no shipping date, so it pays for the other two only.
create index concurrently orders_of_all_by_shipping_date on orders (order_shipping_date, order_id)
  where order_shipping_date is not null;
create index concurrently orders_open_by_total on orders (order_total desc, order_id desc)
  where order_state_id in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen');
create index concurrently orders_of_all_by_change on orders (order_update_datetime desc, order_id desc);
