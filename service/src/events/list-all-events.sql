-- A page of all clients' events. Only transactions older than any that still runs are shown, so that nothing can appear before the cursor.
select e.transaction_id::text as transaction_id, e.client_id, e.actor, e.request_id,
  -- include event-columns.part.sql
from (
  select x.transaction_id, x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data, x.actor, x.request_id
  from events x
  where (x.transaction_id, x.client_id, x.event_number) > (:after_transaction::text::xid8, :after_client::bigint, :after_number::bigint)
    and x.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
  order by x.transaction_id, x.client_id, x.event_number
  limit :page_size
) e
-- include event-joins.part.sql
order by e.transaction_id, e.client_id, e.event_number
