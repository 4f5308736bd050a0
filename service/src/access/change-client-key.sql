-- Changes how often a key may be used, and tells the client's log of it. Processes watch changed_at.
with changed as (
  update api_keys set rate_per_second = coalesce(:rate_per_second, rate_per_second), rate_burst = coalesce(:rate_burst, rate_burst),
    changed_at = now()
  where key_id = :key_id
  returning client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from changed x
  where c.client_id = x.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, x.client_id, n.event_number, 'key.changed', jsonb_build_object('key_id', x.key_id) || :changes::jsonb, :actor, :request_id
  from changed x, numbered n
)
select client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at from changed
