-- Stores a new key, of a new operator or of one that exists, whose name is then the given one. The key's id was drawn
-- before, because it is part of the key that was digested.
with added as (
  insert into operators (operator_name) select :operator_name::text where :operator_id::bigint is null
  returning operator_id
), named as (
  update operators set operator_name = :operator_name where operator_id = :operator_id and erased_at is null
  returning operator_id
), issued as (
  insert into operator_keys (key_id, operator_id, role, digest, expires_at, issued_by)
  select :key_id, operator_id, :role, :digest,
    least(:expires_at::timestamptz, now() + :days_max::integer * interval '1 day'), :actor
  from (select operator_id from added union all select operator_id from named) o
  returning key_id, role, expires_at
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'issue-operator-key', :idempotency_key, :request_digest, json_build_object('key_id', key_id)
  from issued
  where :idempotency_key::text is not null
), audited as (
  insert into audit_entries (audit_action, key_id, new_value, actor, request_id)
  select 'operator_key_issued', key_id, jsonb_build_object('role', role, 'expires_at', expires_at), :actor, :request_id
  from issued
)
select key_id from issued
