-- Requests cancellation. The order keeps its stock and counts against the limit until an operator decides.
-- If cancellation was already requested, nothing changes and the result is the same.
with seen as materialized (
  select client_id, order_id, version from orders
  where client_id = :client_id and order_id = :order_id
), cancelled as (          -- An unchanged version proves that the history and adjustments read here are complete.
  update orders o set order_state_id = :requested, state_before_request = o.order_state_id,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:cancellable) and o.order_shipped_datetime is null
  returning o.*
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id)
  select client_id, order_id, history_count, 'Change of status', order_state_id from cancelled
  returning client_id, order_id, entry, date, "group", state_id, text
), dropped as (            -- The order can no longer be adjusted.
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = 'The cancellation of the order was requested.'
  from cancelled o
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_status = 'WAIT'
  returning a.client_id, a.order_id, a.adjustment_id, a.adjustment_status, a.adjustment_canceled_message, a.difference
), happened as (
  select o.client_id, 0 as place, 'order.state_changed' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from cancelled o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  union all
  select a.client_id, a.adjustment_id, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from dropped a
), -- include ../events/record-events.part.sql
), answered as (
  select * from cancelled
  union all
  select o.* from orders o
  where o.client_id = :client_id and o.order_id = :order_id and o.order_state_id = :requested
)
select -- include order-columns.part.sql
  -- include longer-history.part.sql
  as history
from answered o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
