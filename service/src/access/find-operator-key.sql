select key_id, operator_name, role, digest, expires_at, revoked_at is not null as revoked
from operator_keys
where key_id = :key_id
