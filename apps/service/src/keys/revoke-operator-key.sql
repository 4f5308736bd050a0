-- Revokes a key. If it is revoked already, nothing changes, and the answer is the same.
with revoked as (
  update operator_keys set revoked_at = now(), revoked_by = :actor, changed_at = now()
  where key_id = :key_id and revoked_at is null
  returning key_id, operator_name, role, created_at, expires_at, revoked_at, last_used_at
), audited as (
  insert into audit_entries (audit_action, key_id, actor, request_id)
  select 'operator_key_revoked', key_id, :actor, :request_id from revoked
)
select key_id, operator_name, role, created_at, expires_at, revoked_at, last_used_at
from revoked
union all
select key_id, operator_name, role, created_at, expires_at, revoked_at, last_used_at
from operator_keys
where key_id = :key_id and revoked_at is not null
