s.session_id, s.operator_id, o.operator_name, s.role, s.key_id, s.created_at, s.expires_at, s.last_used_at, s.ended_at
