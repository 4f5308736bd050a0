-- Records when keys were last used. A later use that another process has written stays. changed_at stays too, or every
-- process would read the key again. Keys are locked by id, because several processes do this at the same time. The
-- limit makes the planner expect few rows, so that it uses the index instead of reading all keys.
with used as materialized (
  select k.key_id, now() - u.age_ms * interval '1 millisecond' as used_at
  from (
    select key_id, age_ms from unnest(:key_ids::bigint[], :ages_ms::bigint[]) u (key_id, age_ms)
    limit :most::bigint
  ) u
  join api_keys k on k.key_id = u.key_id
  order by k.key_id
  for no key update of k
), written as (
  update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
  from used u
  where k.key_id = u.key_id
  returning k.key_id
)
select count(*) as keys from written
