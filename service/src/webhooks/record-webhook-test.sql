insert into webhook_deliveries (client_id, webhook_id, event_type, attempt, status, error, duration_ms)
select w.client_id, w.webhook_id, :event_type, 1, :status, :error, :duration_ms
from webhooks w
where w.client_id = :client_id and w.webhook_id = :webhook_id
