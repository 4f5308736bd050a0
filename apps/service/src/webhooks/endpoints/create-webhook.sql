-- Creates an endpoint that receives events from now on, and records an event about it. The event carries only the
-- origin of the URL: the rest may contain a token, and events are sent to the client's other endpoints too.
with numbered as (         -- The constraint webhook_limit_reached refuses the whole statement.
  update clients c set webhook_count = c.webhook_count + 1,
    -- include ../../events/number-events.part.sql
  from (select 1 as events) h
  where c.client_id = :client_id
  returning c.client_id, c.event_number, c.event_number - h.events as last_number, c.event_transaction
), created as (
  insert into webhooks (client_id, url, event_types, secret, delivered_event_number)
  select n.client_id, :url, :event_types, :secret, n.event_number from numbered n
  returning *
), happened as (
  select w.client_id, 0 as place, 'webhook.created' as event_type, null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id, 'origin', substring(w.url from '^[a-z]+://[^/?]+'),
      'event_types', w.event_types) as data
  from created w
), recorded as (
  -- include ../../events/insert-events.part.sql
), shown as (
  select -- include ../webhook-columns.part.sql
    , w.secret
  from created w
), stored as (             -- The primary key refuses the whole statement if this request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select s.client_id, 'create-webhook', :idempotency_key, :request_digest, -- include stored-answer.part.sql
  from shown s
  where :idempotency_key::text is not null
)
select s.* from shown s
