-- As record-client-key-uses.sql, for sessions.
with used as materialized (
  select s.session_id, now() - u.age_ms * interval '1 millisecond' as used_at
  from (
    select key_id, age_ms from unnest(:key_ids::bigint[], :ages_ms::bigint[]) u (key_id, age_ms)
    limit :most::bigint
  ) u
  join operator_sessions s on s.session_id = u.key_id
  order by s.session_id
  for no key update of s
), written as (
  update operator_sessions s set last_used_at = greatest(s.last_used_at, u.used_at)
  from used u
  where s.session_id = u.session_id
  returning s.session_id
)
select count(*) as keys from written
