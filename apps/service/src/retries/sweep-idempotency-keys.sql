-- Deletes a batch of expired answers to clients and one of those to operators, oldest first.
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
), old_of_operators as (
  select actor, operation, idempotency_key
  from operator_idempotency_keys
  where created_at <= now() - interval '24 hours'
  order by created_at
  limit 500
  for update skip locked
), swept_of_operators as (
  delete from operator_idempotency_keys k
  using old_of_operators o
  where k.actor = o.actor and k.operation = o.operation and k.idempotency_key = o.idempotency_key
  returning k.actor
)
select (select count(*) from swept) + (select count(*) from swept_of_operators) as swept
