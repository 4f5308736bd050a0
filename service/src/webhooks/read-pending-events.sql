-- The events to send to an endpoint next: those in a window of numbers whose type it subscribes to, and the first and
-- last number of the client's events. Numbers have no gaps, so the endpoint does not subscribe to what the window
-- leaves out. An event does not fit if those before it have :bytes_max bytes.
select c.event_number as last_event_number, c.first_event_number, e.event_datetime as occurred_at,
  e.request_id,
  -- include ../events/event-columns.part.sql
from clients c
left join lateral (
  select x.*, sum(x.bytes) over (order by x.event_number) - x.bytes < :bytes_max as fits
  from (
    select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data, x.request_id,
      -- include ../events/event-bytes.part.sql
    from events x
    where x.client_id = c.client_id
      and x.event_number > :after_number and x.event_number <= :after_number + :window::bigint
      and (cardinality(:event_types::text[]) = 0 or x.event_type = any(:event_types)
        or x.event_type = 'service.restored') -- Every endpoint must know.
    order by x.event_number
    limit :page_size
  ) x
) e on true
-- include ../events/event-joins.part.sql
where c.client_id = :client_id
order by e.event_number
