-- Changes an endpoint, and tells the client's log what was changed. The lease goes: whatever is under way was sent under the old terms,
-- and is sent again under the new ones. Null leaves a field as it is; an endpoint that the distributor has paused is not resumed by its owner,
-- and events that are kept no longer are not promised.
with changed as (
  update webhooks w set url = coalesce(:url, w.url), event_types = coalesce(:event_types, w.event_types),
    delivered_event_number = case when :from_event_number::bigint is null then w.delivered_event_number
      else least(:from_event_number::bigint - 1, (select c.event_number from clients c where c.client_id = :client_id)) end,
    lease = null, leased_until = null,
    paused_reason = case :active::boolean when true then null when false then coalesce(w.paused_reason, 'owner') else w.paused_reason end,
    paused_at = case :active::boolean when true then null when false then coalesce(w.paused_at, now()) else w.paused_at end,
    paused_text = case when :active::boolean then '' else w.paused_text end,
    attempts = 0, failing_since = null, next_attempt_at = now()
  where w.client_id = :client_id and w.webhook_id = :webhook_id
    and (w.paused_reason is distinct from 'operator' or :active::boolean is distinct from true)
    and (:from_event_number::bigint is null
      or :from_event_number::bigint >= (select c.first_event_number from clients c where c.client_id = :client_id))
  returning w.*
), numbered as (
  -- include number-of-change.part.sql
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, w.client_id, n.event_number, 'webhook.changed',
    jsonb_build_object('webhook_id', w.webhook_id) || :changes::jsonb, :actor, :request_id
  from changed w, numbered n
)
select -- include webhook-columns.part.sql
from changed w
