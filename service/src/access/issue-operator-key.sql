-- Stores a new key. The id is drawn beforehand, since it is part of the key that is digested.
insert into operator_keys (key_id, operator_name, role, digest, expires_at, issued_by)
values (:key_id, :operator_name, :role, :digest, :expires_at, :actor)
returning key_id
