-- Rejects an adjustment; the line stays unchanged.
with seen as materialized (
  select o.client_id, o.order_id, o.version, a.adjustment_id, a.order_item_id
  from adjustments a
  join orders o on o.client_id = a.client_id and o.order_id = a.order_id
  where a.adjustment_id = :adjustment_id and a.adjustment_status = 'WAIT'
), known as (              -- An unchanged version proves that the adjustment is still open.
  update orders o set version = o.version + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
  returning o.client_id, o.order_id
), rejected as (
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), adjustment_canceled_message = :message
  from known o, seen s
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_id = s.adjustment_id
  returning a.client_id, a.order_id, a.adjustment_id, a.order_item_id, a.adjustment_date_create, a.adjustment_status,
    a.adjustment_canceled_message, a.difference
), happened as (
  select a.client_id, 0 as place, 'adjustment.decided' as event_type, a.order_id,
    -- include adjustment-snapshot.part.sql
    as data
  from rejected a
), -- include ../events/record-events.part.sql
)
select a.adjustment_id, a.order_id, a.adjustment_date_create, a.adjustment_status, a.adjustment_canceled_message,
  a.difference,
  i.item_id, i.product_id, i.product_name, i.item_title, i.item_vendor_code
from rejected a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
