-- When an order (o) was cancelled, whether that may still be undone, and its state before: before the request if there
-- was one. Every history entry has the state of the order, so the newest entry in an open state is the one.
h.date as cancelled_at, h.date > now() - make_interval(hours => :undo_hours) as in_time, b.state_id as state_before,
  exists (
    select 1 from order_items i
    where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
  ) as has_lines
from orders o
left join lateral (
  select h.date from order_history h
  where h.client_id = o.client_id and h.order_id = o.order_id and h.state_id = 'canceled'
    and h."group" = 'Change of status'
  order by h.entry desc
  limit 1
) h on true
left join lateral (
  select h.state_id from order_history h
  where h.client_id = o.client_id and h.order_id = o.order_id and h.state_id = any(:open_states)
  order by h.entry desc
  limit 1
) b on true
