-- Stores a new key. Its id was drawn before, because the id is part of the key that was digested.
with issued as (
  insert into operator_keys (key_id, operator_name, role, digest, expires_at, issued_by)
  values (
    :key_id, :operator_name, :role, :digest,
    least(:expires_at::timestamptz, now() + :days_max::integer * interval '1 day'), :actor
  )
  returning key_id
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'issue-operator-key', :idempotency_key, :request_digest, json_build_object('key_id', key_id)
  from issued
  where :idempotency_key::text is not null
), audited as (
  insert into audit_entries (audit_action, key_id, actor, request_id)
  select 'operator_key_issued', key_id, :actor, :request_id from issued
)
select key_id from issued
