-- Takes requested test events, oldest first. If the worker is killed before it sends them, they are lost: the client
-- can request another.
with taken as (
  delete from webhook_tests t
  where (t.client_id, t.webhook_id) in (
    select client_id, webhook_id from webhook_tests order by requested_at limit :tests_max for update skip locked
  )
  returning t.client_id, t.webhook_id
)
select w.client_id, w.webhook_id, w.url, w.secret,
  case when w.previous_secret_until > now() then w.previous_secret end as previous_secret
from taken t
join webhooks w on w.client_id = t.client_id and w.webhook_id = t.webhook_id
