-- What a client's endpoint is to be sent next: of the numbers of a window those that it asks for, and from where to where the client's
-- log goes. Numbers have no gaps, so what the window does not yield was not asked for.
select c.event_number as last_event_number, c.first_event_number, e.event_datetime as occurred_at,
  -- include ../events/event-columns.part.sql
from clients c
left join lateral (
  select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data
  from events x
  where x.client_id = c.client_id and x.event_number > :after_number and x.event_number <= :after_number + :window::bigint
    and (cardinality(:event_types::text[]) = 0 or x.event_type = any(:event_types))
  order by x.event_number
  limit :page_size
) e on true
-- include ../events/event-joins.part.sql
where c.client_id = :client_id
order by e.event_number
