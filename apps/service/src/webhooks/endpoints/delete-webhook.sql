-- Deletes an endpoint and records an event about it. Its delivery log may have millions of entries: they are no
-- longer shown, and the sweep deletes them over time.
with deleted as (
  delete from webhooks
  where client_id = :client_id and webhook_id = :webhook_id
  returning client_id, webhook_id, url
), happened as (
  select d.client_id, 0 as place, 'webhook.deleted' as event_type, null::bigint as order_id,
    jsonb_build_object('webhook_id', d.webhook_id, 'origin', substring(d.url from '^[a-z]+://[^/?]+')) as data
  from deleted d
), numbered as (
  update clients c set webhook_count = c.webhook_count - 1,
    -- include ../../events/number-events.part.sql
  from (select client_id, count(*) as events from happened group by client_id) h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  -- include ../../events/insert-events.part.sql
)
select webhook_id as removed_webhook_id from deleted
