-- outside a transaction
-- For count-day.sql, which reads nothing but this index. A new order does not pay for it.
create index concurrently orders_by_shipment on orders (order_shipped_datetime) include (order_create_datetime)
  where order_shipped_datetime is not null;
