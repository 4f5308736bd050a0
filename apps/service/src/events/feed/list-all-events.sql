-- A page of all clients' events after a position; one row without an event if there is none. Without a position it
-- starts after the last expired event, or with :from_now after everything that can be shown now.
-- Shows only transactions before the horizon (events_horizon.sql), so that no event can appear before a cursor later.
-- An event does not fit if those before it have :bytes_max bytes.
select p.generation, p.after_transaction::text as after_transaction, p.after_client, p.after_number,
  p.generation <> :generation::integer
    or (f.expired_transaction, f.expired_client, f.expired_number)
      > (:after_transaction::text::xid8, :after_client::bigint, :after_number::bigint) as expired,
  e.transaction_id::text as transaction_id, e.client_id, shown_actor(e.actor) as actor,
  e.request_id, e.event_datetime as occurred_at,
  -- include ../event-columns.part.sql
from (select 1) one
left join event_feed f on f.is_one
cross join lateral (
  select coalesce(f.generation, 0) as generation,
    coalesce(:after_transaction::text::xid8, n.transaction_id, f.expired_transaction, '0'::xid8) as after_transaction,
    coalesce(:after_client::bigint, n.client_id, f.expired_client, 0) as after_client,
    coalesce(:after_number::bigint, n.event_number, f.expired_number, 0) as after_number
  from (select) one
  left join (
    select events_horizon() as transaction_id, 0 as client_id, 0 as event_number
  ) n on :from_now::boolean
) p
left join lateral (
  select x.*,
    sum(x.bytes) over (order by x.transaction_id, x.client_id, x.event_number) - x.bytes < :bytes_max as fits
  from (
    select x.transaction_id, x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data, x.actor,
      x.request_id,
      -- include ../event-bytes.part.sql
    from events x
    where (x.transaction_id, x.client_id, x.event_number) > (p.after_transaction, p.after_client, p.after_number)
      and x.transaction_id < events_horizon()
    order by x.transaction_id, x.client_id, x.event_number
    limit :page_size
  ) x
) e on true
-- include ../event-joins.part.sql
order by e.transaction_id, e.client_id, e.event_number
