-- Accepts an adjustment: line, totals, stock and exposure change by the difference, under the order's own terms.
-- Lock order: order, adjustment, contract, stock level, client.
with terms as materialized (
  select o.client_id, o.order_id, o.version, o.order_total, a.adjustment_id, a.adjustment_date_create, a.order_item_id,
    a.quantity_wanted, i.order_item_quantity as quantity, i.item_id, i.product_id, i.product_name, i.item_title,
    i.item_vendor_code, y.discount, z.tax, t.total
  from adjustments a
  join orders o on o.client_id = a.client_id and o.order_id = a.order_id
  join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
  -- include adjusted-total.part.sql
  where a.adjustment_id = :adjustment_id and a.adjustment_status = 'WAIT'
), changed as (            -- An unchanged version proves that the lines and the open adjustment read above are current.
  update orders o set order_total = t.total, order_discount = t.discount, order_tax = t.tax,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from terms t
  where o.client_id = t.client_id and o.order_id = t.order_id and o.version = t.version
    and o.order_state_id = any(:adjustable)
  returning o.*
), accepted as (
  update adjustments a set adjustment_status = 'ACCEPTED', decided_at = now(),
    difference = t.quantity_wanted - t.quantity
  from changed o, terms t
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_id = t.adjustment_id
  returning a.client_id, a.adjustment_id, a.order_id, a.adjustment_status, a.adjustment_canceled_message, a.difference
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from changed o, terms t, accepted, lateral (select o.order_total - t.order_total as rise) x
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  returning -- include contract-raised.part.sql
), reserved as (           -- The constraint out_of_stock can refuse all. A virtual order reserves nothing.
  update stock_levels s set reserved = s.reserved + t.quantity_wanted - t.quantity
  from changed o, terms t, exposed
  where s.stock_id = o.stock_id and s.item_id = t.item_id and not o.virtual
  returning s.item_id
), line as (
  update order_items i set order_item_quantity = t.quantity_wanted
  from changed o, terms t
  where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = t.order_item_id
), entry as (              -- Records the previous quantity.
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select o.client_id, o.order_id, o.history_count, 'Change of items', o.order_state_id,
    t.item_vendor_code || ': ' || t.quantity || ' → ' || t.quantity_wanted
  from changed o, terms t
), known as (              -- The data of the events about the order and its contract.
  select o.client_id, o.order_id, c.limit_low, jsonb_build_object('exposure', c.exposure) ||
    -- include order-snapshot.part.sql
    as data
  from changed o
  cross join exposed c
  join stocks s on s.stock_id = o.stock_id
  where (select count(*) from reserved) >= 0 -- chained: reserved first
), happened as (
  select k.client_id, 1 as place, 'order.items_changed' as event_type, k.order_id, k.data from known k
  union all
  select a.client_id, 2, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from accepted a
  union all
  select k.client_id, 3, 'contract.limit_low', k.order_id, k.data from known k where k.limit_low = 1
), -- include ../events/record-events.part.sql
)
select a.adjustment_id, a.order_id, t.adjustment_date_create, a.adjustment_status, a.adjustment_canceled_message,
  a.difference,
  t.item_id, t.product_id, t.product_name, t.item_title, t.item_vendor_code
from accepted a, terms t
