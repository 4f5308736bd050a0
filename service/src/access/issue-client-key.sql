-- Stores a new key of a contact, and tells the client's log of it. The id is drawn beforehand, being a part of the key that is digested.
with issued as (
  insert into api_keys (client_id, key_id, contact_id, digest, scopes, rate_per_second, rate_burst, expires_at)
  select client_id, :key_id, contact_id, :digest, :scopes, :rate_per_second, :rate_burst, :expires_at
  from contacts
  where client_id = :client_id and contact_id = :contact_id
  returning client_id, key_id, contact_id, scopes
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from issued i
  where c.client_id = i.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, i.client_id, n.event_number, 'key.issued', jsonb_build_object('key_id', i.key_id, 'contact_id', i.contact_id, 'scopes', i.scopes),
    :actor, :request_id
  from issued i, numbered n
)
select key_id from issued
