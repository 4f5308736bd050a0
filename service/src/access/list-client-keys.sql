select client_id, key_id, contact_id, scopes, rate_per_second, rate_burst, created_at, expires_at, revoked_at, last_used_at from api_keys
where client_id = :client_id and key_id > :after_id
order by key_id
limit :page_size
