-- Replaces stored secrets by the same secrets sealed. A secret that was rotated since it was read is left alone, and so
-- is a row that is locked by a change: the next run seals them. A previous secret that has ended is deleted.
with sealed as materialized (
  select webhook_id, before, after from unnest(:webhook_ids::bigint[], :before::text[], :after::text[])
    s (webhook_id, before, after)
), held as (
  select w.webhook_id
  from webhooks w
  where w.webhook_id = any(:webhook_ids::bigint[])
  order by w.webhook_id
  for no key update of w skip locked
), changed as (
  update webhooks w set
    secret = coalesce((
      select s.after from sealed s where s.webhook_id = w.webhook_id and s.before = w.secret
    ), w.secret),
    previous_secret = case when w.previous_secret_until > now() then coalesce((
      select s.after from sealed s where s.webhook_id = w.webhook_id and s.before = w.previous_secret
    ), w.previous_secret) end
  from held h
  where w.webhook_id = h.webhook_id
  returning w.webhook_id
)
select count(*) as endpoints from changed
