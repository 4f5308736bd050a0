-- Revokes a key. If it is revoked already, revoked_at and revoked_by keep their first values.
update operator_keys set revoked_at = coalesce(revoked_at, now()), revoked_by = coalesce(revoked_by, :actor),
  changed_at = now()
where key_id = :key_id
returning key_id, operator_name, role, created_at, expires_at, revoked_at, last_used_at
