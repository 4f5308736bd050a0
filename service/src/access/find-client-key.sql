-- A key as it is now. The client is not known yet: the key identifies it.
select key_id, client_id, contact_id, digest, scopes, rate_per_second, rate_burst, expires_at,
  revoked_at is not null as revoked
from api_keys
where key_id = :key_id
