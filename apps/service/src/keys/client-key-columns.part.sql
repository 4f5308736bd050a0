client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at
