-- An operator pauses or resumes an endpoint; the event gives the owner the reason.
with held as materialized (
  select webhook_id, paused_reason, paused_text from webhooks where webhook_id = :webhook_id for no key update
), changed as (
  update webhooks w set lease = null, leased_until = null,
    paused_reason = case when :active then null else 'operator' end,
    paused_at = case when :active then null else now() end,
    paused_text = :text, attempts = 0, failing_since = null, next_attempt_at = now()
  from held h
  where w.webhook_id = h.webhook_id
  returning w.*
), happened as (
  select w.client_id, 0 as place, case when :active then 'webhook.changed' else 'webhook.paused' end as event_type,
    null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id)
      || case when :active then jsonb_build_object('active', true)
        else jsonb_build_object('paused_reason', w.paused_reason, 'paused_text', w.paused_text) end
      || jsonb_build_object('before', to_jsonb(h) - 'webhook_id') as data
  from changed w join held h using (webhook_id)
), -- include ../../events/record-events.part.sql
)
select -- include ../webhook-columns.part.sql
from changed w
