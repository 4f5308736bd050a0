-- Records a failed attempt and releases the endpoint until the next one. Pauses it if it is gone or has failed for
-- three days, with an audit entry.
with failed as (
  update feed_endpoints f set lease = null, leased_until = null, attempts = f.attempts + 1,
    failing_since = coalesce(f.failing_since, now()), last_failure = :failure,
    next_attempt_at = now() + :delay_ms::integer * interval '1 millisecond',
    paused_reason = case when :gone then 'gone' when f.failing_since < now() - interval '3 days' then 'failing' end,
    paused_at = case when :gone or f.failing_since < now() - interval '3 days' then now() end
  where f.endpoint_id = :endpoint_id and f.lease = :lease
  returning f.endpoint_id, f.paused_reason, f.last_failure
), logged as (
  insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, status, error, duration_ms)
  select f.endpoint_id, :message_id, :event_count, :attempt, :status, :error, :duration_ms
  from feed_endpoints f
  where f.endpoint_id = :endpoint_id
), audited as (
  insert into audit_entries (audit_action, subject, new_value, actor, request_id)
  select 'feed_endpoint_paused', jsonb_build_object('endpoint_id', f.endpoint_id),
    jsonb_build_object('paused_reason', f.paused_reason, 'last_failure', f.last_failure), :actor, :request_id
  from failed f
  where f.paused_reason is not null
)
select paused_reason from failed
