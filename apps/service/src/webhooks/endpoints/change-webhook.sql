-- Changes an endpoint and records an event about it. Null leaves a field as it is. The lease is dropped: a request in
-- flight was sent under the old terms and is sent again under the new ones. An owner cannot resume an endpoint that
-- the distributor has paused, and cannot replay events that have expired.
with changed as (
  update webhooks w set url = coalesce(:url, w.url), event_types = coalesce(:event_types, w.event_types),
    delivered_event_number = case when :from_event_number::bigint is null then w.delivered_event_number
      else least(:from_event_number::bigint - 1,
        (select c.event_number from clients c where c.client_id = :client_id)) end,
    lease = null, leased_until = null,
    paused_reason = case :active::boolean when true then null when false then coalesce(w.paused_reason, 'owner')
      else w.paused_reason end,
    paused_at = case :active::boolean when true then null when false then coalesce(w.paused_at, now())
      else w.paused_at end,
    paused_text = case when :active::boolean then '' else w.paused_text end,
    attempts = 0, failing_since = null, next_attempt_at = now()
  where w.client_id = :client_id and w.webhook_id = :webhook_id
    and (w.paused_reason is distinct from 'operator' or :active::boolean is distinct from true)
    and (:from_event_number::bigint is null
      or :from_event_number::bigint >= (select c.first_event_number from clients c where c.client_id = :client_id))
  returning w.*
), happened as (
  select w.client_id, 0 as place, 'webhook.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id) || :changes::jsonb as data
  from changed w
), -- include ../../events/record-events.part.sql
)
select -- include ../webhook-columns.part.sql
from changed w
