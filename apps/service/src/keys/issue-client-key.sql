-- Stores a new key of a contact. Its id was drawn before, because the id is part of the key that was digested.
with issued as (
  insert into api_keys (client_id, key_id, contact_id, digest, scopes, rate_per_second, rate_burst, expires_at)
  select client_id, :key_id, contact_id, :digest, :scopes, :rate_per_second, :rate_burst,
    least(:expires_at::timestamptz, now() + :days_max::integer * interval '1 day')
  from contacts
  where client_id = :client_id and contact_id = :contact_id
  returning client_id, key_id, contact_id, scopes, expires_at
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'issue-client-key', :idempotency_key, :request_digest, json_build_object('key_id', key_id)
  from issued
  where :idempotency_key::text is not null
), audited as (
  insert into audit_entries (audit_action, client_id, contact_id, key_id, new_value, actor, request_id)
  select 'key_issued', client_id, contact_id, key_id,
    jsonb_build_object('scopes', scopes, 'expires_at', expires_at), :actor, :request_id
  from issued
), happened as (
  select client_id, 0 as place, 'key.issued' as event_type, null::bigint as order_id,
    jsonb_build_object('key_id', key_id, 'contact_id', contact_id, 'scopes', scopes) as data
  from issued
), -- include ../events/record-events.part.sql
)
select key_id from issued
