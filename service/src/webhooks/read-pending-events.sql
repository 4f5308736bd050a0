-- What a client's endpoint is to be sent next.
select e.event_number, e.event_type, e.event_datetime, e.event_datetime as occurred_at, e.order_id, e.data
from events e
where e.client_id = :client_id and e.event_number > :after_number
order by e.event_number
limit :page_size
