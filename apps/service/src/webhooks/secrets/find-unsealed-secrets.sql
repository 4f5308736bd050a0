-- A page of endpoints by id, with the stored secrets of each that do not start with :sealed_prefix; one row with null
-- for an endpoint that has none, because the next page starts after the last id.
select p.client_id, p.webhook_id, s.stored
from (
  select w.client_id, w.webhook_id, w.secret, w.previous_secret
  from webhooks w
  where w.webhook_id > :after_id
  order by w.webhook_id
  limit :page_size
) p
left join lateral (
  select t.stored from (select p.secret union select p.previous_secret) t (stored)
  where not starts_with(t.stored, :sealed_prefix)
) s on true
order by p.webhook_id
