-- A client's next events after a number, with the first and last number of its log. Those before the first have
-- expired, and their table may not be dropped yet.
-- Returns one row without an event if there is none. An event does not fit if those before it have :bytes_max bytes.
select c.event_number as last_event_number, c.first_event_number, e.event_datetime as occurred_at,
  -- include event-columns.part.sql
from clients c
left join lateral (
  select x.*, sum(x.bytes) over (order by x.event_number) - x.bytes < :bytes_max as fits
  from (
    select x.client_id, x.event_number, x.event_type, x.event_datetime, x.order_id, x.data,
      -- include event-bytes.part.sql
    from events x
    where x.client_id = c.client_id and x.event_number > greatest(:after, c.first_event_number - 1)
    order by x.event_number
    limit :limit
  ) x
) e on true
-- include event-joins.part.sql
where c.client_id = :client_id
order by e.event_number
