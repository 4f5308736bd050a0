-- Records a request to change a line's quantity. It supersedes an open request with another quantity. A request for
-- the line's present quantity needs no decision and is accepted at once. Repeating the newest request of the line
-- returns it, while it is open or the line has the quantity that it asked for.
with seen as materialized (
  select o.client_id, o.order_id, o.version, i.order_item_id, i.order_item_quantity,
    i.order_item_quantity = :quantity as unchanged,
    i.item_id, i.product_id, i.product_name, i.item_title, i.item_vendor_code
  from orders o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
  where o.client_id = :client_id and o.order_id = :order_id and i.order_item_id = :order_item_id
    and i.order_item_quantity > 0 and o.order_state_id = any(:adjustable)
), latest as materialized ( -- The newest adjustment of the line. If one is open, it is this one.
  select a.*
  from seen s
  cross join lateral (
    select a.* from adjustments a
    where a.client_id = s.client_id and a.order_id = s.order_id and a.order_item_id = s.order_item_id
    order by a.adjustment_id desc
    limit 1
  ) a
), repeated as (
  select a.* from latest a, seen s
  where a.quantity_wanted = :quantity
    and (a.adjustment_status = 'WAIT' or a.adjustment_status = 'ACCEPTED' and s.unchanged)
), editable as (           -- An unchanged version proves that the line and the open adjustment read above are current.
  update orders o set version = o.version + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:adjustable) and not exists (select 1 from repeated)
  returning o.client_id, o.order_id
), drawn as (              -- Drawn first, so that the superseded adjustment can name its successor.
  select client_id, order_id, nextval(pg_get_serial_sequence('adjustments', 'adjustment_id')) as adjustment_id
  from editable
), closed as (
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = 'Superseded by adjustment ' || d.adjustment_id || '.'
  from drawn d, latest w
  where a.client_id = w.client_id and a.order_id = w.order_id and a.adjustment_id = w.adjustment_id
    and a.adjustment_status = 'WAIT'
  returning a.*
), requested as (
  insert into adjustments (client_id, order_id, adjustment_id, order_item_id, quantity_before, quantity_wanted, reason,
    adjustment_status, decided_at, decided_by)
  select d.client_id, d.order_id, d.adjustment_id, s.order_item_id, s.order_item_quantity, :quantity, :reason,
    case when s.unchanged then 'ACCEPTED' else 'WAIT' end, case when s.unchanged then now() end,
    case when s.unchanged then 'service' end
  from drawn d, seen s
  where (select count(*) from closed) >= 0 -- chained: closed first
  returning *
), happened as (
  select a.client_id, 1 as place, 'adjustment.decided' as event_type, a.order_id,
    -- include adjustment-snapshot.part.sql
    as data
  from closed a
  union all
  select a.client_id, 2, 'adjustment.created', a.order_id,
    -- include adjustment-snapshot.part.sql
  from (
    select client_id, order_id, adjustment_id, 'WAIT' as adjustment_status, adjustment_canceled_message, difference
    from requested
  ) a
  union all
  select a.client_id, 3, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from requested a
  where a.adjustment_status = 'ACCEPTED'
), -- include ../events/record-events.part.sql
), answered as (
  select * from requested
  union all
  select * from repeated
)
select -- include adjustment-columns.part.sql
from answered a, seen i
