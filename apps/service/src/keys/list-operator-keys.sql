select k.key_id, k.operator_id, o.operator_name, k.role, k.created_at, k.expires_at, k.revoked_at, k.last_used_at
from operator_keys k
join shown_operators o on o.operator_id = k.operator_id
where k.key_id > :after_id
order by k.key_id
limit :page_size
