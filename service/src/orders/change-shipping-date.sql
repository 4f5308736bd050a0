-- Reschedules an order to a day on which its stock can ship. Repeating it changes nothing and returns the same result.
with seen as materialized (
  select o.client_id, o.order_id, o.version, o.stock_id, o.history_count, o.order_state_id, o.order_shipping_date
  from orders o
  where o.client_id = :client_id and o.order_id = :order_id
), window_of_days as (
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
  select o.* from orders o
  where o.client_id = :client_id and o.order_id = :order_id
    and o.order_shipping_date = :shipping_date and o.order_state_id = any(:reschedulable)
)
select -- include order-columns.part.sql
  h.date, h."group", h.state_id, h.text
from answered o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
cross join lateral (
  select entry, date, "group", state_id, text from entry
  union all
  select h.entry, h.date, h."group", h.state_id, h.text from order_history h
  where h.client_id = o.client_id and h.order_id = o.order_id
) h
order by h.entry desc
