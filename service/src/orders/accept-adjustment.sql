-- Accepts an adjustment: line, totals, stock and exposure change by the difference, under the order's own terms.
-- A line with quantity 0 is removed from the order, and an order without lines is cancelled.
-- Lock order: order, adjustments, contract, stock level, client.
with terms as materialized (
  select o.client_id, o.order_id, o.version, o.order_state_id, o.order_total, a.adjustment_id, a.order_item_id,
    a.quantity_wanted, i.order_item_quantity as quantity, i.item_id, i.item_vendor_code, g.emptied, y.discount, z.tax,
    t.total, e.exposure
  from adjustments a
  join orders o on o.client_id = a.client_id and o.order_id = a.order_id
  join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
  -- include adjusted-total.part.sql
  where a.adjustment_id = :adjustment_id and a.adjustment_status = 'WAIT'
), changed as (            -- An unchanged version proves that the lines and the open adjustments read here are current.
  update orders o set order_total = t.total, order_discount = t.discount, order_tax = t.tax,
    order_state_id = case when t.emptied then 'canceled' else o.order_state_id end,
    hold_reason = case when not t.emptied then o.hold_reason end,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1 + t.emptied::integer
  from terms t
  where o.client_id = t.client_id and o.order_id = t.order_id and o.version = t.version
    and o.order_state_id = any(:adjustable)
    and (:quantity_factor::integer = 0 or t.quantity_wanted <= t.quantity * :quantity_factor::bigint
      or t.quantity = :expected::integer) -- A quantity far out of the usual is confirmed with the present one.
  returning o.*, o.history_count - t.emptied::integer as items_entry
), accepted as (
  update adjustments a set adjustment_status = 'ACCEPTED', decided_at = now(), decided_by = :actor,
    difference = t.quantity_wanted - t.quantity
  from changed o, terms t
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_id = t.adjustment_id
  returning a.*
), dropped as (            -- A cancelled order can no longer be adjusted.
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = 'The order has moved on to the state ' || o.order_state_id || '.'
  from changed o, terms t
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_id <> t.adjustment_id
    and a.adjustment_status = 'WAIT' and t.emptied
  returning a.*
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from changed o, terms t, accepted, lateral (select t.exposure - t.order_total as rise) x
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
), entries as (            -- Records the previous quantity.
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select o.client_id, o.order_id, o.items_entry, 'Change of items', t.order_state_id,
    t.item_vendor_code || ': ' || t.quantity || ' → ' || t.quantity_wanted
  from changed o, terms t
  union all
  select o.client_id, o.order_id, o.history_count, 'Change of status', o.order_state_id, 'The last item was removed.'
  from changed o, terms t
  where t.emptied
), change as (
  insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
  select o.client_id, o.order_id, o.items_entry, t.order_item_id, t.quantity, t.quantity_wanted
  from changed o, terms t
), known as (              -- The data of the events about the order and its contract.
  select o.client_id, o.order_id, c.limit_low, t.emptied,
    jsonb_build_object('order_state_id', t.order_state_id, 'history_count', o.items_entry) as before_cancelling,
    jsonb_build_object('exposure', c.exposure) ||
    -- include order-snapshot.part.sql
    as data
  from changed o
  cross join terms t
  cross join exposed c
  join stocks s on s.stock_id = o.stock_id
  where (select count(*) from reserved) >= 0 -- chained: reserved first
), happened as (
  select client_id, 1 as place, 'order.items_changed' as event_type, order_id, data || before_cancelling as data
  from known
  union all
  select a.client_id, 2, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from accepted a
  union all
  select client_id, 3, 'contract.limit_low', order_id, data from known where limit_low = 1
  union all
  select client_id, 3, 'order.state_changed', order_id, data from known where emptied
  union all
  select a.client_id, 3 + a.adjustment_id, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from dropped a
), -- include ../events/record-events.part.sql
)
select -- include adjustment-columns.part.sql
from accepted a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
