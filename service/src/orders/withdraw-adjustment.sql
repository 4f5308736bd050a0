-- Withdraws an open adjustment; the line stays unchanged. If it was withdrawn already, nothing changes and the result
-- is the same.
with seen as materialized (
  select o.client_id, o.order_id, o.version, a.adjustment_id
  from orders o
  join adjustments a on a.client_id = o.client_id and a.order_id = o.order_id
  where o.client_id = :client_id and o.order_id = :order_id and a.adjustment_id = :adjustment_id
    and a.adjustment_status = 'WAIT'
), -- include close-adjustment.part.sql
), answered as (
  select * from closed
  union all
  select * from adjustments
  where client_id = :client_id and order_id = :order_id and adjustment_id = :adjustment_id
    and adjustment_canceled_message = :message
)
select -- include adjustment-columns.part.sql
from answered a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
