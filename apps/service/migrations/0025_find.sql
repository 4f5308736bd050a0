-- outside a transaction
-- Adjustments of any status, newest first: of all clients, and of one.
create index concurrently adjustments_by_status on adjustments (adjustment_status, adjustment_id);
create index concurrently adjustments_of_client on adjustments (client_id, adjustment_status, adjustment_id);

-- Orders of all clients by what is searched for, newest first. Only orders with a reference pay for the first.
create index concurrently orders_of_all_by_reference
  on orders (lower(reference) collate "C", order_create_datetime desc, order_id desc) where reference is not null;
create index concurrently orders_of_all_by_city
  on orders (lower(city) collate "C", order_create_datetime desc, order_id desc);

-- Orders of all clients in other orders. A new order has no shipping date and has not changed, so it pays only for the
-- index by total.
create index concurrently orders_of_all_by_shipping_date on orders (order_shipping_date, order_id)
  where order_shipping_date is not null;
create index concurrently orders_open_by_total on orders (order_total desc, order_id desc)
  where order_state_id in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen');
create index concurrently orders_changed on orders (order_update_datetime desc, order_id desc)
  where order_update_datetime > order_create_datetime;

-- The log of what happened: of an order, of a type, of an operator. Placing an order pays for the first, always at its
-- end.
create index concurrently events_of_order on events (order_id, event_number) where order_id is not null;
create index concurrently events_of_type on events (event_type, event_datetime, client_id, event_number)
  where event_type <> 'order.created';
create index concurrently events_of_operator on events (actor, event_datetime, client_id, event_number)
  where actor like 'operator %';
