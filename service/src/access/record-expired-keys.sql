-- Tells the clients' logs of a batch of keys that have expired, each once. A key that was revoked before has its event already.
-- Locks are taken in the order keys, clients by id.
with due as (
  select key_id from api_keys
  where expires_at is not null and revoked_at is null and expiry_recorded_at is null and expires_at <= now()
  order by expires_at, key_id
  limit 500
  for no key update skip locked
), recorded as (
  update api_keys set expiry_recorded_at = now()
  where key_id = any(array(select key_id from due))
  returning client_id, key_id, contact_id
), counted as (            -- The condition always holds. By it PostgreSQL expects few clients, and looks each of them up.
  select client_id, count(*) as events from recorded group by client_id having count(*) > 0
), held as (
  select c.client_id, n.events
  from counted n
  join clients c on c.client_id = n.client_id
  order by c.client_id
  for no key update of c
), numbered as (
  update clients c set event_number = c.event_number + h.events,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from held h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, r.client_id, n.last_number + row_number() over (partition by r.client_id order by r.key_id),
    'key.expired', jsonb_build_object('key_id', r.key_id, 'contact_id', r.contact_id), 'worker', :request_id
  from recorded r
  join numbered n on n.client_id = r.client_id
)
select count(*) as recorded from recorded
