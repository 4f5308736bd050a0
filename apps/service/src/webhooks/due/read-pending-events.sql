-- The events to send to several endpoints next, each numbered by its place among them: those in a window of numbers
-- whose type it subscribes to, and the first and last number of the client's events. Numbers have no gaps, so the
-- endpoint does not subscribe to what the window leaves out. Of each endpoint, an event does not fit if those before it
-- have :bytes_max bytes. :event_types has the types of an endpoint separated by commas, or nothing for all.
select g.place, c.event_number as last_event_number, c.first_event_number, e.event_datetime as occurred_at,
  e.request_id,
  -- include ../../events/event-columns.part.sql
from unnest(:client_ids::bigint[], :after_numbers::bigint[], :event_types::text[])
  with ordinality as g (client_id, after_number, event_types, place)
cross join lateral (
  select c.client_id, c.event_number, c.first_event_number, string_to_array(g.event_types, ',') as event_types
  from clients c
  where c.client_id = g.client_id
) c
left join lateral (
  select x.*, sum(x.bytes) over (order by x.event_number) - x.bytes < :bytes_max as fits
  from (
    select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data, x.request_id,
      -- include ../../events/event-bytes.part.sql
    from events x
    where x.client_id = c.client_id
      and x.event_number > g.after_number and x.event_number <= g.after_number + :window::bigint
      and (cardinality(c.event_types) = 0 or x.event_type = any(c.event_types)
        or x.event_type = 'service.restored') -- Every endpoint must know.
    order by x.event_number
    limit :page_size
  ) x
) e on true
-- include ../../events/event-joins.part.sql
order by g.place, e.event_number
