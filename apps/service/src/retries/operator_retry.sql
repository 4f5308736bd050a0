-- The answer to the first request of an operator with this key; null if there was none, or without a key. After 24
-- hours it expires, and the key can be reused. A key that was used with other fields is refused. Requests with the same
-- key wait here for each other. The row is locked: under synchronous replication, a repeated answer must not be sent
-- before the replica has the first.
create or replace function operator_retry(
  actor text, operation text, idempotency_key text, retry_digest bytea, out answer json, out refused json
) language plpgsql as $$
declare
  earlier record;
begin
  if idempotency_key is null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended(concat_ws('|', 'retry', actor, operation, idempotency_key), 0));
  delete from operator_idempotency_keys r
  where r.actor = operator_retry.actor and r.operation = operator_retry.operation
    and r.idempotency_key = operator_retry.idempotency_key and r.created_at <= now() - interval '24 hours';
  select r.request_digest = retry_digest as same, r.answer into earlier
  from operator_idempotency_keys r
  where r.actor = operator_retry.actor and r.operation = operator_retry.operation
    and r.idempotency_key = operator_retry.idempotency_key
  for update;
  if not found then return; end if;
  if earlier.same then answer := earlier.answer;
  else refused := refusal('idempotency_key_used', json_build_object('idempotency_key', idempotency_key));
  end if;
end $$;

-- Keeps the answer for a repeated request. Without a key, nothing is kept.
create or replace function keep_operator_answer(
  actor text, operation text, idempotency_key text, retry_digest bytea, answer json
) returns void language plpgsql as $$
begin
  if idempotency_key is null then return; end if;
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  values (actor, operation, idempotency_key, retry_digest, answer);
end $$;
