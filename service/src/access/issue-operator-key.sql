-- Stores a new key. Its id was drawn before, because the id is part of the key that was digested.
insert into operator_keys (key_id, operator_name, role, digest, expires_at, issued_by)
values (:key_id, :operator_name, :role, :digest, :expires_at, :actor)
returning key_id
