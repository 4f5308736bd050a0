-- Revokes a key. If it is revoked already, nothing changes, no event is recorded, and the answer is the same. For
-- operators client_id is null.
with revoked as (
  update api_keys set revoked_at = now(), changed_at = now()
  where key_id = :key_id and (:client_id::bigint is null or client_id = :client_id) and revoked_at is null
  returning *
), audited as (
  insert into audit_entries (audit_action, client_id, contact_id, key_id, actor, request_id)
  select 'key_revoked', client_id, contact_id, key_id, :actor, :request_id from revoked
), happened as (
  select client_id, 0 as place, 'key.revoked' as event_type, null::bigint as order_id,
    jsonb_build_object('key_id', key_id, 'contact_id', contact_id) as data
  from revoked
), -- include ../events/record-events.part.sql
)
select -- columns k
from revoked k
union all
select -- columns k
from api_keys k
where k.key_id = :key_id and (:client_id::bigint is null or k.client_id = :client_id) and k.revoked_at is not null
