-- The delivery log of an endpoint, newest first. An endpoint without entries gives one row with only its id; one that
-- does not exist gives none.
select f.endpoint_id, d.delivery_id, d.message_id, d.event_count, d.attempt, d.status, d.error, d.duration_ms,
  d.attempted_at
from feed_endpoints f
left join lateral (
  select d.delivery_id, d.message_id, d.event_count, d.attempt, d.status, d.error, d.duration_ms, d.attempted_at
  from feed_deliveries d
  where d.endpoint_id = f.endpoint_id and d.delivery_id < :before_id
  order by d.delivery_id desc
  limit :page_size
) d on true
where f.endpoint_id = :endpoint_id
order by d.delivery_id desc
