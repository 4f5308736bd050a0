-- What may have prevented a change.
select w.webhook_id, w.paused_reason, w.paused_text, c.first_event_number
from webhooks w
join clients c on c.client_id = w.client_id
where w.client_id = :client_id and w.webhook_id = :webhook_id
