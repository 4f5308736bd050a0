-- The delivery log of an endpoint, newest first. An endpoint without entries gives one row with only its id; one that
-- does not exist gives none. For operators client_id is null.
select w.webhook_id, d.delivery_id, d.event_number, d.event_type, d.attempt, d.status, d.error, d.duration_ms,
  d.attempted_at
from webhooks w
left join lateral (
  select d.delivery_id, d.event_number, d.event_type, d.attempt, d.status, d.error, d.duration_ms, d.attempted_at
  from webhook_deliveries d
  where d.client_id = w.client_id and d.webhook_id = w.webhook_id and d.delivery_id < :before_id
  order by d.delivery_id desc
  limit :page_size
) d on true
where w.webhook_id = :webhook_id and (:client_id::bigint is null or w.client_id = :client_id)
order by d.delivery_id desc
