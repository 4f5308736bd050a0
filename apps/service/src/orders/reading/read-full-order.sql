-- An order with its details, in one row. What is not requested is not read.
select -- columns o
  case when :items then o.lines end as lines, case when :shipments then o.shipped_lines end as shipped_lines,
  case when :returns then o.returned_lines end as returned_lines,
  case when :returns then o.return_requests end as return_requests,
  case when :documents then o.documents end as documents, case when :metadata then o.metadata end as metadata,
  case when :promise then order_promises(:client_id, :order_id, :holding, :newer_max) end as promises,
  current_date + :days_ahead_max::integer as latest_date,
  case when :actions and o.order_state_id = any(:reschedulable) then earliest_shipping_day(o.stock_id) end
    as earliest_date
from shown_orders o
where o.client_id = :client_id and o.order_id = :order_id
