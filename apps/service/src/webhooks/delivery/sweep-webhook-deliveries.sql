-- Deletes a batch of entries of each delivery log that are older than 30 days.
with old as (
  select client_id, webhook_id, delivery_id from webhook_deliveries
  where attempted_at < now() - interval '30 days'
  order by attempted_at
  limit 1000
  for update skip locked
), deleted as (
  delete from webhook_deliveries d
  using old o
  where d.client_id = o.client_id and d.webhook_id = o.webhook_id and d.delivery_id = o.delivery_id
  returning 1
), old_of_feed as (
  select endpoint_id, delivery_id from feed_deliveries
  where attempted_at < now() - interval '30 days'
  order by attempted_at
  limit 1000
  for update skip locked
), deleted_of_feed as (
  delete from feed_deliveries d
  using old_of_feed o
  where d.endpoint_id = o.endpoint_id and d.delivery_id = o.delivery_id
  returning 1
)
select (select count(*) from deleted) + (select count(*) from deleted_of_feed) as deleted
