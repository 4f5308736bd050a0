select s.stock_id, x.closed_on as date, true as closed
from stocks s
left join lateral (
  select closed_on from stock_closed_days
  where stock_id = s.stock_id and closed_on > :after_date
  order by closed_on
  limit :page_size
) x on true
where s.stock_id = :stock_id
order by x.closed_on
