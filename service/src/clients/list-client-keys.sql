select client_id, key_id, contact_id, scopes, created_at, expires_at, revoked_at from api_keys
where client_id = :client_id and key_id > :after_id
order by key_id
limit :page_size
