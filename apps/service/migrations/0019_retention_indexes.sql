-- outside a transaction
-- What is kept for some time only, by when that began. Orders: delete_orders.sql. A new order does not pay for it.
create index concurrently if not exists orders_archived on orders (order_archive_datetime, order_id)
  where order_archive_datetime is not null;
-- Imports that have ended: expire-imports.sql.
create index concurrently if not exists imports_ended on imports (finished_at, import_id) where finished_at is not null;
