-- An operator pauses or resumes an endpoint; the event gives the owner the reason.
with changed as (
  update webhooks w set lease = null, leased_until = null,
    paused_reason = case when :active then null else 'operator' end,
    paused_at = case when :active then null else now() end,
    paused_text = :text, attempts = 0, failing_since = null, next_attempt_at = now()
  where w.webhook_id = :webhook_id
  returning w.*
), happened as (
  select w.client_id, 0 as place, case when :active then 'webhook.changed' else 'webhook.paused' end as event_type,
    null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id)
      || case when :active then jsonb_build_object('active', true)
        else jsonb_build_object('paused_reason', w.paused_reason, 'paused_text', w.paused_text) end as data
  from changed w
), -- include ../../events/record-events.part.sql
)
select -- include ../webhook-columns.part.sql
from changed w
