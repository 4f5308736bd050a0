-- A revoked key stays revoked from the first moment on, and only that moment is told to the client's log.
with revoked as (
  update api_keys set revoked_at = now(), changed_at = now()
  where key_id = :key_id and revoked_at is null
  returning client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from revoked r
  where c.client_id = r.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, r.client_id, n.event_number, 'key.revoked', jsonb_build_object('key_id', r.key_id, 'contact_id', r.contact_id), :actor, :request_id
  from revoked r, numbered n
)
select client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at from revoked
union all
select client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at from api_keys
where key_id = :key_id and revoked_at is not null
