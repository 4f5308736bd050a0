-- Why an order cannot be rescheduled, by its client or by an operator: its state, and when its stock can ship it.
select o.order_state_id, o.history_count, current_date + :days_ahead_max::integer as latest_date, (
  -- include earliest-shipping-day.part.sql
) as earliest_date
from orders o
join stocks s on s.stock_id = o.stock_id
where o.order_id = :order_id and (:client_id::bigint is null or o.client_id = :client_id)
