-- Why an order cannot be rescheduled: its state and the days on which its stock can ship it.
select o.order_state_id, o.history_count,
  (
    select d::date
    from generate_series(current_date, current_date + 800, interval '1 day') d
    where extract(isodow from d)::smallint <> all(s.closed_weekdays)
      and not exists (select 1 from stock_closed_days x where x.stock_id = s.stock_id and x.closed_on = d::date)
    order by d
    offset s.lead_days
    limit 1
  ) as earliest_date,
  current_date + :days_ahead_max::integer as latest_date
from orders o
join stocks s on s.stock_id = o.stock_id
where o.client_id = :client_id and o.order_id = :order_id
