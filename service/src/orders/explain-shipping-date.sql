-- Why an order cannot be rescheduled: its state and the days on which its stock can ship it.
select o.order_state_id, o.history_count, current_date + :days_ahead_max::integer as latest_date, (
  -- include earliest-shipping-day.part.sql
) as earliest_date
from orders o
join stocks s on s.stock_id = o.stock_id
where o.client_id = :client_id and o.order_id = :order_id
