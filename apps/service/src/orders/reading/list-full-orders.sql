-- A page of orders with their details, one row per order. What is not requested is not read.
with -- include orders-page.part.sql
)
select -- columns o
  case when :items then o.lines end as lines, case when :shipments then o.shipped_lines end as shipped_lines,
  case when :returns then o.returned_lines end as returned_lines,
  case when :returns then o.return_requests end as return_requests,
  case when :documents then o.documents end as documents, case when :metadata then o.metadata end as metadata,
  current_date + :days_ahead_max::integer as latest_date,
  case when :actions and o.order_state_id = any(:reschedulable) then earliest_shipping_day(o.stock_id) end
    as earliest_date
from page p
join shown_orders o on o.client_id = :client_id and o.order_id = p.order_id
order by o.order_create_datetime desc, o.order_id desc
