-- A client may have 1,000 carts. A cart that has been empty for 30 days is deleted by the worker, or by the creation of
-- another one at the limit. emptied_at is the time of the last removal of lines, or of the creation: a cart with a
-- line_count of 0 has been empty since then. Existing carts are treated as if they had been emptied now.
alter table carts add column emptied_at timestamptz not null default now();

-- The table has one row for each client: checking the wider range takes milliseconds.
alter table clients
  drop constraint cart_limit_reached,
  add constraint cart_limit_reached check (cart_count between 0 and 1000);
