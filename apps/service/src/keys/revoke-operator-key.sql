-- Revokes a key. If it is revoked already, nothing changes, and the answer is the same.
with revoked as (
  update operator_keys set revoked_at = now(), revoked_by = :actor, changed_at = now()
  where key_id = :key_id and revoked_at is null
  returning *
), audited as (
  insert into audit_entries (audit_action, key_id, actor, request_id)
  select 'operator_key_revoked', key_id, :actor, :request_id from revoked
)
select k.key_id, k.operator_id, o.operator_name, k.role, k.created_at, k.expires_at, k.revoked_at, k.last_used_at
from (
  select * from revoked
  union all
  select * from operator_keys where key_id = :key_id and revoked_at is not null
) k
join shown_operators o on o.operator_id = k.operator_id
