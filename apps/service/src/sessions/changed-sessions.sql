-- As changed-operator-keys.sql, for sessions: those that ended, and those whose key was revoked.
with changed as (
  select session_id, changed_at from operator_sessions
  where changed_at > now() - interval '20 seconds'
  union
  select s.session_id, k.changed_at
  from operator_keys k
  join operator_sessions s on s.key_id = k.key_id
  where k.changed_at > now() - interval '20 seconds'
  order by changed_at desc
  limit :most::bigint
)
select -- include session-check-columns.part.sql
from changed c
join operator_sessions s on s.session_id = c.session_id
join shown_operators o on o.operator_id = s.operator_id
left join operator_keys k on k.key_id = s.key_id
order by c.changed_at desc
