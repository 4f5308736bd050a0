-- What the worker looks for. Each index holds only what is still to be done, so that it stays small and placing an order does not pay for it.

create index orders_to_archive on orders (order_update_datetime, order_id)
  where order_state_id in ('completed', 'canceled') and order_archive_datetime is null;
alter table orders add constraint orders_archived_when_done
  check (order_archive_datetime is null or order_state_id in ('completed', 'canceled')) not valid;
alter table orders validate constraint orders_archived_when_done;

-- That a key has expired is told to the client's log once. It changes nothing for the processes that know keys by heart: they read the clock.
alter table api_keys add column expiry_recorded_at timestamptz;
create index api_keys_expiring on api_keys (expires_at, key_id)
  where expires_at is not null and revoked_at is null and expiry_recorded_at is null;
