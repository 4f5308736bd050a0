-- The next page of all endpoints, by id, with the number of events that each has not received. Finds endpoints whose
-- worker was killed, and events that polling has missed.
select w.client_id, w.webhook_id, c.event_number - w.delivered_event_number as lacking,
  w.paused_reason is null as active,
  w.paused_reason is null and w.next_attempt_at is null and c.event_number > w.delivered_event_number
    and (w.leased_until is null or w.leased_until < now()) as due
from webhooks w
join clients c on c.client_id = w.client_id
where w.webhook_id > :after_id
order by w.webhook_id
limit :page_size
