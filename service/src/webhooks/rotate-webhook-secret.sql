-- Gives an endpoint a new secret; the one before stays good for a day, and what was before that one is gone.
with changed as (
  update webhooks w set secret = :secret, previous_secret = w.secret, previous_secret_until = now() + interval '24 hours',
    lease = null, leased_until = null, next_attempt_at = coalesce(w.next_attempt_at, now())
  where w.client_id = :client_id and w.webhook_id = :webhook_id
  returning w.*
), numbered as (
  -- include number-of-change.part.sql
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, w.client_id, n.event_number, 'webhook.changed',
    jsonb_build_object('webhook_id', w.webhook_id, 'secret', 'rotated'), :actor, :request_id
  from changed w, numbered n
), shown as (
  select -- include webhook-columns.part.sql
    , w.secret
  from changed w
), kept as (               -- Its primary key refuses it all when the same request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select s.client_id, 'rotate-webhook-secret', :idempotency_key, :request_digest, -- include stored-answer.part.sql
  from shown s
  where :idempotency_key::text is not null
)
select s.* from shown s
