-- Makes an endpoint, which is sent what happens from now on, and tells the client's log of it. Of the address only
-- the origin: the rest may be as good as a password, and the log is sent to the client's other endpoints too.
with numbered as (         -- The constraint webhook_limit_reached refuses the whole statement.
  update clients set webhook_count = webhook_count + 1, event_number = event_number + 1,
    event_transaction = greatest(event_transaction, pg_current_xact_id())
  where client_id = :client_id
  returning client_id, event_number, event_transaction
), made as (
  insert into webhooks (client_id, url, event_types, secret, delivered_event_number)
  select client_id, :url, :event_types, :secret, event_number from numbered
  returning *
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, w.client_id, n.event_number, 'webhook.created',
    jsonb_build_object('webhook_id', w.webhook_id, 'origin', substring(w.url from '^[a-z]+://[^/?]+'), 'event_types', w.event_types), :actor, :request_id
  from made w, numbered n
), shown as (
  select -- include webhook-columns.part.sql
    , w.secret
  from made w
), kept as (               -- Its primary key refuses it all when the same request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select s.client_id, 'create-webhook', :idempotency_key, :request_digest, -- include stored-answer.part.sql
  from shown s
  where :idempotency_key::text is not null
)
select s.* from shown s
