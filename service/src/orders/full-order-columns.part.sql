-- The columns of an order (o), its stock (s) and its contract (c) with the details. The lines, the shipments and the
-- days for rescheduling are selected if they are requested.
-- include order-columns.part.sql
-- include order-details.part.sql
  -- include whole-history.part.sql
  as history,
  case when :items then (
    -- include order-lines.part.sql
  ) end as lines,
  case when :shipments then (
    -- include order-shipments.part.sql
  ) end as shipped_lines,
  o.history_count, current_date + :days_ahead_max::integer as latest_date,
  case when :actions and o.order_state_id = any(:reschedulable) then (
    -- include earliest-shipping-day.part.sql
  ) end as earliest_date
