-- Stores a new key of a contact. The id is drawn beforehand, since it is part of the key that is digested.
insert into api_keys (client_id, key_id, contact_id, digest, scopes, expires_at)
select client_id, :key_id, contact_id, :digest, :scopes, :expires_at
from contacts
where client_id = :client_id and contact_id = :contact_id
returning key_id
