-- Two endpoints per client that have received all events, with the end of their delivery logs, and the log
-- of an endpoint of the feed.
with made as (
  insert into webhooks (client_id, webhook_id, url, secret, delivered_event_number)
  select c.client_id, c.client_id * 2 - 2 + m, 'https://dealer' || c.client_id || '.example/hooks/' || m,
    'whsec_' || encode(sha256((c.client_id * 2 + m)::text::bytea), 'base64'), c.event_number
  from clients c, generate_series(1, 2) m
  where c.client_id between :from and :to
  returning client_id, webhook_id, delivered_event_number
), pushed as (
  insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, status, duration_ms, attempted_at)
  select 7, 'feed_7_' || webhook_id || '_' || n, 12, 1, 204, 90 + n, now() - n * interval '4 hours'
  from made, generate_series(1, 10) n
)
insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, duration_ms,
  attempted_at)
select client_id, webhook_id, greatest(1, delivered_event_number - n), 'order.created', 1, 204, 90 + n,
  now() - n * interval '4 hours'
from made, generate_series(1, 20) n
