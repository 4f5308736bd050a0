-- What a client's endpoint is to be sent next.
select e.event_datetime as occurred_at,
  -- include ../events/event-columns.part.sql
from (
  select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data
  from events x
  where x.client_id = :client_id and x.event_number > :after_number
  order by x.event_number
  limit :page_size
) e
-- include ../events/event-joins.part.sql
order by e.event_number
