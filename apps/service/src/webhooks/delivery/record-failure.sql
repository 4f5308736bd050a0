-- Records a failed attempt and releases the endpoint until the next one. Pauses it if it is gone or has failed for
-- three days, and records an event about that.
with failed as (
  update webhooks w set lease = null, leased_until = null, attempts = w.attempts + 1,
    failing_since = coalesce(w.failing_since, now()), last_failure = :failure,
    next_attempt_at = now() + :delay_ms::integer * interval '1 millisecond',
    paused_reason = case when :gone then 'gone' when w.failing_since < now() - interval '3 days' then 'failing' end,
    paused_at = case when :gone or w.failing_since < now() - interval '3 days' then now() end
  where w.client_id = :client_id and w.webhook_id = :webhook_id and w.lease = :lease
  returning w.client_id, w.webhook_id, w.paused_reason, w.last_failure
), logged as (
  insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, error, duration_ms)
  select w.client_id, w.webhook_id, :event_number, :event_type, :attempt, :status, :error, :duration_ms
  from webhooks w
  where w.client_id = :client_id and w.webhook_id = :webhook_id
), happened as (
  select w.client_id, 0 as place, 'webhook.paused' as event_type, null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id, 'paused_reason', w.paused_reason, 'paused_text', w.last_failure)
      as data
  from failed w
  where w.paused_reason is not null
), -- include ../../events/record-events.part.sql
)
select paused_reason from failed
