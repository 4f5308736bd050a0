-- The distributor pauses an endpoint, or lets it go on, and tells the client's log why.
with changed as (
  update webhooks w set lease = null, leased_until = null,
    paused_reason = case when :active then null else 'operator' end, paused_at = case when :active then null else now() end,
    paused_text = :text, attempts = 0, failing_since = null, next_attempt_at = now()
  where w.webhook_id = :webhook_id
  returning w.*
), numbered as (
  -- include number-of-change.part.sql
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, w.client_id, n.event_number, case when :active then 'webhook.changed' else 'webhook.paused' end,
    case when :active then jsonb_build_object('webhook_id', w.webhook_id, 'active', true)
      else jsonb_build_object('webhook_id', w.webhook_id, 'paused_reason', w.paused_reason, 'paused_text', w.paused_text) end,
    :actor, :request_id
  from changed w, numbered n
)
select -- include webhook-columns.part.sql
from changed w
