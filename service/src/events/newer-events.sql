-- The waiting readers' clients that have an event after the number that the reader knows.
select c.client_id, c.event_number
from unnest(:client_ids::bigint[], :event_numbers::bigint[]) w (client_id, event_number)
cross join lateral (select k.client_id, k.event_number from clients k where k.client_id = w.client_id) c
where c.event_number > w.event_number
