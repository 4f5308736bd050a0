select o.operator_id, o.operator_name, o.issuer, o.subject, o.created_at, o.erased_at, (
    select count(*) from operator_keys k
    where k.operator_id = o.operator_id and k.revoked_at is null and (k.expires_at > now()) is not false
  ) as keys, array(
    select k.role from operator_keys k
    where k.operator_id = o.operator_id and k.revoked_at is null and (k.expires_at > now()) is not false
    union
    select s.role from operator_sessions s
    where s.owner = 'operator ' || o.operator_id and s.ended_at is null and s.expires_at > now()
    order by role
  ) as roles
from shown_operators o
where o.operator_id > :after_id
order by o.operator_id
limit :page_size
