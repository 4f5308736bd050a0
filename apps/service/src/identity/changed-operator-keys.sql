-- As changed-client-keys.sql, for operators.
select key_id, operator_name, role, digest, created_at as issued_at, expires_at, revoked_at is not null as revoked
from operator_keys
where changed_at > now() - interval '20 seconds'
order by changed_at desc
limit :most::bigint
