-- A revoked key stays revoked from the first moment on.
update api_keys set revoked_at = coalesce(revoked_at, now()), changed_at = now()
where key_id = :key_id
returning key_id
