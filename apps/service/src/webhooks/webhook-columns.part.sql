w.client_id, w.webhook_id, w.url, w.event_types,
  w.paused_reason is null as active, w.paused_reason, w.paused_text, w.paused_at,
  w.delivered_event_number, w.attempts, w.failing_since, w.last_failure,
  case when w.paused_reason is null then w.next_attempt_at end as next_attempt_at,
  case when w.previous_secret_until > now() then w.previous_secret_until end as previous_secret_until, w.created_at
