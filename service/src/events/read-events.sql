-- A client's next events after a number, with the first and last number of its log.
-- Returns one row without an event if there is none.
select c.event_number as last_event_number, c.first_event_number,
  -- include event-columns.part.sql
from clients c
left join lateral (
  select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data
  from events x
  where x.client_id = c.client_id and x.event_number > :after
  order by x.event_number
  limit :limit
) e on true
-- include event-joins.part.sql
where c.client_id = :client_id
order by e.event_number
