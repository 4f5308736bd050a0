-- As operator_retry.sql, for a request of a client.
create or replace function client_retry(
  client bigint, operation text, idempotency_key text, retry_digest bytea, out answer json, out refused json
) language plpgsql as $$
declare
  earlier record;
begin
  if idempotency_key is null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended(concat_ws('|', 'retry', client, operation, idempotency_key), 0));
  delete from idempotency_keys r
  where r.client_id = client and r.operation = client_retry.operation
    and r.idempotency_key = client_retry.idempotency_key and r.created_at <= now() - interval '24 hours';
  select r.request_digest = retry_digest as same, r.answer into earlier
  from idempotency_keys r
  where r.client_id = client and r.operation = client_retry.operation
    and r.idempotency_key = client_retry.idempotency_key
  for update;
  if not found then return; end if;
  if earlier.same then answer := earlier.answer;
  else refused := refusal('idempotency_key_used', json_build_object('idempotency_key', idempotency_key));
  end if;
end $$;

-- Keeps the answer for a repeated request. Without a key, nothing is kept.
create or replace function keep_client_answer(
  client bigint, operation text, idempotency_key text, retry_digest bytea, answer json
) returns void language plpgsql as $$
begin
  if idempotency_key is null then return; end if;
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  values (client, operation, idempotency_key, retry_digest, answer);
end $$;
