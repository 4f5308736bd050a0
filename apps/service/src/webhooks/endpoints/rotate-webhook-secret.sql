-- Gives an endpoint a new secret. The previous one stays valid for a day; the one before that ends at once.
with changed as (
  update webhooks w set secret = :secret, previous_secret = w.secret,
    previous_secret_until = now() + interval '24 hours',
    lease = null, leased_until = null, next_attempt_at = coalesce(w.next_attempt_at, now())
  where w.client_id = :client_id and w.webhook_id = :webhook_id
  returning w.*
), happened as (
  select w.client_id, 0 as place, 'webhook.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('webhook_id', w.webhook_id, 'secret', 'rotated') as data
  from changed w
), -- include ../../events/record-events.part.sql
), shown as (
  select -- include ../webhook-columns.part.sql
    , w.secret
  from changed w
), stored as (             -- The primary key refuses the whole statement if this request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select s.client_id, 'rotate-webhook-secret', :idempotency_key, :request_digest, -- include stored-answer.part.sql
  from shown s
  where :idempotency_key::text is not null
)
select s.* from shown s
