select key_id, operator_name, role, created_at, expires_at, revoked_at, last_used_at
from operator_keys
where key_id > :after_id
order by key_id
limit :page_size
