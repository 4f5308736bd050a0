-- The first day on which a stock (s) can ship: the lead time counts its open days. Null if it is closed for two years.
-- The days are generated one by one until there are enough. Sorting them would generate all.
select current_date + d.n
from (select generate_series(0, 800) as n) d
where extract(isodow from current_date + d.n)::smallint <> all(s.closed_weekdays)
  and not exists (
    select 1 from stock_closed_days x
    where x.stock_id = s.stock_id and x.closed_on = current_date + d.n
    offset 0) -- lookup fence
offset s.lead_days
limit 1
