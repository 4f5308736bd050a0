-- Writes down a failed attempt and lets go of the endpoint until the next one; or pauses it when it is gone for good, or has failed for
-- three days, and tells the client's log.
with failed as (
  update webhooks w set lease = null, leased_until = null, attempts = w.attempts + 1,
    failing_since = coalesce(w.failing_since, now()), last_failure = :failure,
    next_attempt_at = now() + :delay_ms::integer * interval '1 millisecond',
    paused_reason = case when :gone then 'gone' when w.failing_since < now() - interval '3 days' then 'failing' end,
    paused_at = case when :gone or w.failing_since < now() - interval '3 days' then now() end
  where w.client_id = :client_id and w.webhook_id = :webhook_id and w.lease = :lease
  returning w.client_id, w.webhook_id, w.paused_reason, w.last_failure
), log as (
  insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, error, duration_ms)
  select w.client_id, w.webhook_id, :event_number, :event_type, :attempt, :status, :error, :duration_ms
  from webhooks w
  where w.client_id = :client_id and w.webhook_id = :webhook_id
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from failed w
  where c.client_id = w.client_id and w.paused_reason is not null
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, w.client_id, n.event_number, 'webhook.paused',
    jsonb_build_object('webhook_id', w.webhook_id, 'paused_reason', w.paused_reason, 'paused_text', w.last_failure), 'worker', :request_id
  from failed w, numbered n
)
select paused_reason from failed
