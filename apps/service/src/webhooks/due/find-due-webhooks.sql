-- Endpoints that may have something to send: those of clients with events written since the previous poll, and those
-- whose retry is due, which have no event_number. `seen` is the horizon of the previous poll (events_horizon.sql):
-- every event that was not visible then belongs to that transaction or a later one. Newest first, so that a transaction
-- that stays open for long does not hide new events. The scan finds what the limit cuts off. Each row has the endpoints
-- of the feed that have something to send, by their positions (feed-endpoints/), so that looking for them costs no
-- statement of its own.
with written as (
  select e.client_id, e.event_number from events e
  where e.transaction_id >= :seen::text::xid8
  order by e.transaction_id desc, e.client_id desc, e.event_number desc
  limit :events_max
), due as (
  select n.client_id, w.webhook_id, n.event_number
  from (select client_id, max(event_number) as event_number from written group by client_id) n
  cross join lateral (
    select w.webhook_id from webhooks w
    where w.client_id = n.client_id and w.paused_reason is null and w.next_attempt_at is null
    limit 20             -- The most a client can have. The limit makes PostgreSQL look up each client by the index.
  ) w
  union all
  (select w.client_id, w.webhook_id, null from webhooks w
  where w.next_attempt_at is not null and w.next_attempt_at <= now() and w.paused_reason is null
    and (w.leased_until is null or w.leased_until < now())
  order by w.next_attempt_at
  limit :retries_max)
)
select s.seen::text as seen, s.seen >= event_position(pg_snapshot_xmax(pg_current_snapshot())) as is_complete,
  extract(epoch from least((
    select min(w.next_attempt_at) from webhooks w where w.next_attempt_at > now() and w.paused_reason is null
  ), f.next_attempt_at) - now()) * 1000 as next_retry_ms,
  f.endpoint_ids as feed_endpoint_ids, d.client_id, d.webhook_id, d.event_number
from (select events_horizon() as seen) s
cross join lateral (
  select array_agg(f.endpoint_id) filter (where f.is_due) as endpoint_ids,
    min(f.next_attempt_at) filter (where f.next_attempt_at > now() and f.paused_reason is null) as next_attempt_at
  from (
    select f.endpoint_id, f.next_attempt_at, f.paused_reason, (f.leased_until is null or f.leased_until < now())
      and (f.test_requested or f.paused_reason is null and coalesce(f.next_attempt_at <= now(), true) and exists (
        select from events e
        where (e.transaction_id, e.client_id, e.event_number) > (f.after_transaction, f.after_client, f.after_number)
          and e.transaction_id < s.seen
        limit 1
      )) as is_due
    from feed_endpoints f
  ) f
) f
left join due d on true
