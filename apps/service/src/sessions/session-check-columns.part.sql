s.session_id as key_id, s.key_id as signed_in_with, s.operator_id, o.operator_name, s.role, s.digest,
  s.expires_at as ends_at, k.created_at as issued_at,
  least(s.expires_at, k.expires_at, coalesce(s.last_used_at, s.created_at) + s.idle_seconds * interval '1 second')
    as expires_at,
  s.ended_at is not null or k.revoked_at is not null as revoked
