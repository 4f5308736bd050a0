-- As changed-client-keys.sql, for operators.
select k.key_id, k.operator_id, o.operator_name, k.role, k.digest, k.created_at as issued_at, k.expires_at,
  k.revoked_at is not null as revoked
from operator_keys k
join shown_operators o on o.operator_id = k.operator_id
where k.changed_at > now() - interval '20 seconds'
order by k.changed_at desc
limit :most::bigint
