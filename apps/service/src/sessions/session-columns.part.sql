session_id, operator_name, role, key_id, created_at, expires_at, last_used_at, ended_at
