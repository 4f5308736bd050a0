-- Rejects an adjustment; the line stays unchanged.
with seen as materialized (
  select o.client_id, o.order_id, o.version, a.adjustment_id
  from adjustments a
  join orders o on o.client_id = a.client_id and o.order_id = a.order_id
  where a.adjustment_id = :adjustment_id and a.adjustment_status = 'WAIT'
), -- include close-adjustment.part.sql
)
select -- include adjustment-columns.part.sql
from closed a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
