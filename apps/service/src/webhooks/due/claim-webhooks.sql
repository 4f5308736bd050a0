-- Leases endpoints that have something to send and that no worker holds.
with free as (
  select w.webhook_id
  from webhooks w
  where w.webhook_id = any(:webhook_ids) and w.paused_reason is null
    and w.delivered_event_number < (select c.event_number from clients c where c.client_id = w.client_id)
    and (w.leased_until is null or w.leased_until < now()) and (w.next_attempt_at is null or w.next_attempt_at <= now())
  order by w.webhook_id
  for no key update of w skip locked
)
update webhooks w set lease = :lease, leased_until = now() + :lease_ms::integer * interval '1 millisecond'
from free f
where w.webhook_id = f.webhook_id
returning w.client_id, w.webhook_id, w.url, w.event_types, w.secret,
  case when w.previous_secret_until > now() then w.previous_secret end as previous_secret,
  w.delivered_event_number, w.attempts, w.next_attempt_at as due_at
