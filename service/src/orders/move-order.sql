-- Moves an order to another state, with the effects on stock, contract and open adjustments. ship-order.sql ships it.
-- Lock order: order, contract, stock levels by item, adjustments, client.
with seen as materialized (
  select client_id, order_id, version from orders
  where order_id = :order_id
), moved as (              -- An unchanged version proves that lines, history and adjustments are complete.
  update orders o set order_state_id = coalesce(:to_state, o.state_before_request), state_before_request = null,
    hold_reason = case when :to_state is null then o.hold_reason end, -- An accepted cancellation ends the hold.
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:from_states) and (o.hold_reason is null or o.order_state_id = 'zayavka-na-otmen')
    and not (o.order_shipped_datetime is not null and coalesce(:to_state in ('new', 'processing', 'canceled'), false))
  returning o.*
), settled as (            -- A cancelled or completed order no longer counts against the contract's limit.
  update contracts c set exposure = c.exposure - o.order_total
  from moved o
  where c.client_id = o.client_id and c.contract_id = o.contract_id and o.order_state_id in ('canceled', 'completed')
  returning c.contract_id
), held as (
  select s.stock_id, s.item_id, i.order_item_quantity - i.shipped_quantity as quantity
  from moved o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
  where not o.virtual and o.order_state_id = 'canceled' and i.order_item_quantity > 0
    and (select count(*) from settled) >= 0 -- chained: settled first
  order by s.stock_id, s.item_id
  for no key update of s
), freed as (
  update stock_levels s set reserved = s.reserved - h.quantity
  from held h
  where s.stock_id = h.stock_id and s.item_id = h.item_id
  returning s.item_id
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text, move_id)
  select client_id, order_id, history_count, 'Change of status', order_state_id, :text, :move_id from moved
  returning client_id, order_id, entry, date, "group", state_id, text
), dropped as (            -- The order can no longer be adjusted.
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = 'The order has moved on to the state ' || o.order_state_id || '.'
  from moved o
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_status = 'WAIT'
    and o.order_state_id <> all(:adjustable)
  returning a.client_id, a.order_id, a.adjustment_id, a.adjustment_status, a.adjustment_canceled_message, a.difference
), happened as (
  select o.client_id, 0 as place, 'order.state_changed' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from moved o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  where (select count(*) from freed) >= 0 -- chained: freed first
  union all
  select a.client_id, a.adjustment_id, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from dropped a
), -- include ../events/record-events.part.sql
), answered as (           -- An order that is in the requested state already stays unchanged.
  select * from moved
  union all
  select o.* from orders o
  where o.order_id = :order_id and o.order_state_id = :unchanged_state
)
select -- include operator-order-columns.part.sql
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines
from answered o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
