-- Which of the waiting readers' clients have an event after the number up to which it is known.
select c.client_id, c.event_number
from unnest(:client_ids::bigint[], :event_numbers::bigint[]) w (client_id, event_number)
join clients c on c.client_id = w.client_id
where c.event_number > w.event_number
