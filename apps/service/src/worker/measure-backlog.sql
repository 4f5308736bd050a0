-- What waits, for metrics: the open requests of clients, each kind counted from one index and at most to :most, with
-- the age of the oldest; how long the oldest event that the feed does not show yet has been hidden by a running
-- transaction; how far each endpoint of the feed is behind, without those that an admin has paused; and the newest
-- migration. Bounds that exclude nothing make PostgreSQL read the index, not the table.
select c.waiting as cancellations, c.oldest as oldest_cancellation_seconds,
  a.waiting as adjustments, a.oldest as oldest_adjustment_seconds,
  q.waiting as returns, q.oldest as oldest_return_seconds,
  coalesce(h.hidden, 0) as hidden_event_seconds, p.endpoints as feed_endpoints, m.name as schema
from (
  select count(*) as waiting, coalesce(extract(epoch from now() - min(o.order_update_datetime)), 0) as oldest
  from (
    select o.order_update_datetime from orders o
    where o.order_state_id = 'zayavka-na-otmen' and o.order_update_datetime > '-infinity'
    order by o.order_update_datetime, o.order_id
    limit :most
  ) o
) c
cross join (
  select count(*) as waiting, coalesce(extract(epoch from now() - min(a.adjustment_date_create)), 0) as oldest
  from (
    select a.adjustment_date_create from adjustments a
    where a.adjustment_status = 'WAIT' and a.adjustment_date_create > '-infinity'
    order by a.adjustment_date_create, a.adjustment_id
    limit :most
  ) a
) a
cross join (
  select count(*) as waiting, coalesce(extract(epoch from now() - min(q.request_datetime)), 0) as oldest
  from (
    select q.request_datetime from return_requests q
    where q.request_status = 'WAIT' and q.request_datetime > '-infinity'
    order by q.request_datetime, q.return_request_id
    limit :most
  ) q
) q
left join lateral (
  select greatest(extract(epoch from now() - e.event_datetime), 0) as hidden from events e
  where e.transaction_id >= events_horizon()
  order by e.transaction_id, e.client_id, e.event_number
  limit 1
) h on true
cross join (
  select coalesce(json_agg(json_build_object('endpoint_id', f.endpoint_id,
    'seconds', coalesce(greatest(extract(epoch from now() - e.event_datetime), 0), 0))), '[]') as endpoints
  from feed_endpoints f
  left join lateral (
    select e.event_datetime from events e
    where (e.transaction_id, e.client_id, e.event_number) > (f.after_transaction, f.after_client, f.after_number)
    order by e.transaction_id, e.client_id, e.event_number
    limit 1
  ) e on true
  where f.paused_reason is distinct from 'operator'
) p
cross join (select max(name) as name from migrations) m
