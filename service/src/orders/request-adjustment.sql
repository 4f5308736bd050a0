-- Records a request to change a line's quantity. It supersedes an open request with another quantity; repeating an open
-- request returns it.
with seen as materialized (             -- Only if the quantity would change.
  select o.client_id, o.order_id, o.version, i.order_item_id, i.order_item_quantity, i.item_id, i.product_id,
    i.product_name, i.item_title, i.item_vendor_code
  from orders o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
  where o.client_id = :client_id and o.order_id = :order_id and i.order_item_id = :order_item_id
    and i.order_item_quantity <> :quantity and o.order_state_id = any(:adjustable)
), waiting as (
  select a.client_id, a.order_id, a.adjustment_id, a.adjustment_date_create, a.quantity_wanted
  from seen s
  join adjustments a on a.client_id = s.client_id and a.order_id = s.order_id and a.order_item_id = s.order_item_id
  where a.adjustment_status = 'WAIT'
), editable as (           -- An unchanged version proves that the line and the open adjustments read above are current.
  update orders o set version = o.version + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:adjustable)
    and not exists (select 1 from waiting w where w.quantity_wanted = :quantity)
  returning o.client_id, o.order_id
), drawn as (              -- Drawn first, so that the superseded adjustment can name its successor.
  select client_id, order_id, nextval(pg_get_serial_sequence('adjustments', 'adjustment_id')) as adjustment_id
  from editable
), superseded as (
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(),
    adjustment_canceled_message = 'Superseded by adjustment ' || d.adjustment_id || '.'
  from drawn d, waiting w
  where a.client_id = w.client_id and a.order_id = w.order_id and a.adjustment_id = w.adjustment_id
    and a.adjustment_status = 'WAIT'
  returning a.client_id, a.order_id, a.adjustment_id, a.adjustment_status, a.adjustment_canceled_message, a.difference
), requested as (
  insert into adjustments (client_id, order_id, adjustment_id, order_item_id, quantity_before, quantity_wanted)
  select d.client_id, d.order_id, d.adjustment_id, s.order_item_id, s.order_item_quantity, :quantity
  from drawn d, seen s
  where (select count(*) from superseded) >= 0 -- chained: superseded first
  returning client_id, order_id, adjustment_id, adjustment_date_create, adjustment_status, adjustment_canceled_message,
    difference
), happened as (
  select a.client_id, a.adjustment_id as place, 'adjustment.decided' as event_type, a.order_id,
    -- include adjustment-snapshot.part.sql
    as data
  from superseded a
  union all
  select a.client_id, a.adjustment_id, 'adjustment.created', a.order_id,
    -- include adjustment-snapshot.part.sql
  from requested a
), -- include ../events/record-events.part.sql
), answered as (
  select adjustment_id, order_id, adjustment_date_create from requested
  union all
  select adjustment_id, order_id, adjustment_date_create from waiting where quantity_wanted = :quantity
)
select a.adjustment_id, a.order_id, a.adjustment_date_create, 'WAIT' as adjustment_status,
  null as adjustment_canceled_message,
  0 as difference, s.item_id, s.product_id, s.product_name, s.item_title, s.item_vendor_code
from answered a, seen s
