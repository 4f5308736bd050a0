-- Deletes a batch of expired answers, oldest first.
with old as (
  select client_id, operation, idempotency_key
  from idempotency_keys
  where created_at <= now() - interval '24 hours'
  order by created_at
  limit 500
  for update skip locked
), swept as (
  delete from idempotency_keys k
  using old o
  where k.client_id = o.client_id and k.operation = o.operation and k.idempotency_key = o.idempotency_key
  returning k.client_id
)
select count(*) as swept from swept
