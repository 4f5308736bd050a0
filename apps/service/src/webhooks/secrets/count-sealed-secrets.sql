-- How many secrets are sealed with each key. Reads all endpoints, once when a process starts.
select split_part(s.stored, ':', 2) as key_name, count(*) as secrets
from (
  select secret, previous_secret, previous_secret_until from webhooks
  union all
  select secret, previous_secret, previous_secret_until from feed_endpoints
) w
cross join lateral (
  values (w.secret), (case when w.previous_secret_until > now() then w.previous_secret end)
) s (stored)
where starts_with(s.stored, 'sealed:')
group by 1
order by 1
