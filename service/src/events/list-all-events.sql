-- A page of all clients' events. Only transactions older than any that still runs are shown, so that nothing can appear before the cursor.
select e.transaction_id::text as transaction_id, e.client_id, e.event_number, e.event_type, e.event_datetime, e.order_id, e.data,
  e.actor, e.request_id
from events e
where (e.transaction_id, e.client_id, e.event_number) > (:after_transaction::text::xid8, :after_client::bigint, :after_number::bigint)
  and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
order by e.transaction_id, e.client_id, e.event_number
limit :page_size
