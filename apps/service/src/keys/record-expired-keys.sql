-- Records a batch of expired keys in their clients' event logs, each key once. A revoked key has its event already.
-- Locks are taken in the order keys, clients by id.
with due as (
  select key_id from api_keys
  where expires_at is not null and revoked_at is null and expiry_recorded_at is null and expires_at <= now()
  order by expires_at, key_id
  limit 500
  for no key update skip locked
), expired as (
  update api_keys set expiry_recorded_at = now()
  where key_id = any(array(select key_id from due))
  returning client_id, key_id, contact_id
), held as (
  select c.client_id
  from (select distinct client_id from expired) n
  join clients c on c.client_id = n.client_id
  order by c.client_id
  for no key update of c
), happened as (
  select e.client_id, e.key_id as place, 'key.expired' as event_type, null::bigint as order_id,
    jsonb_build_object('key_id', e.key_id, 'contact_id', e.contact_id) as data
  from expired e
  join held h on h.client_id = e.client_id
), -- include ../events/record-events.part.sql
)
select count(*) as recorded from expired
