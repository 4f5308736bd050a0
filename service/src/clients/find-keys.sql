-- The keys that a process has seen lately, as they stand now. No client is known yet: the key is what tells it.
select key_id, client_id, contact_id, digest, scopes, expires_at
from api_keys
where key_id = any(:key_ids::bigint[]) and revoked_at is null
