-- Reschedules the order that the step `seen` has found, if its stock can ship on that day. For the statements that take
-- the parameters shipping_date, days_ahead_max, reschedulable, history_max, actor and request_id. The step `answered`
-- has the order, also if it had that day already; `entry` has the new entry of its history.
window_of_days as (
  select (
    -- include earliest-shipping-day.part.sql
  ) as earliest_date, current_date + :days_ahead_max::integer as latest_date
  from seen o
  join stocks s on s.stock_id = o.stock_id
), rescheduled as (        -- An unchanged version proves that the history read here is complete.
  update orders o set order_shipping_date = :shipping_date, order_update_datetime = now(),
    version = o.version + 1, history_count = o.history_count + 1
  from seen s, window_of_days w
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:reschedulable)
    and o.history_count < :history_max
    and :shipping_date between w.earliest_date and w.latest_date
    and o.order_shipping_date is distinct from :shipping_date
  returning o.*
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, history_count, 'Change of shipping date', order_state_id, order_shipping_date::text
  from rescheduled
  returning client_id, order_id, entry, date, "group", state_id, text
), happened as (
  select o.client_id, 0 as place, 'order.rescheduled' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from rescheduled o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
), -- include ../events/record-events.part.sql
), answered as (
  select * from rescheduled
  union all
  select o.* from seen s
  join orders o on o.client_id = s.client_id and o.order_id = s.order_id
  where o.order_shipping_date = :shipping_date and o.order_state_id = any(:reschedulable)
