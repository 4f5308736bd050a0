-- A page of an order's adjustments, newest first. An order without any is one row with nulls; no such order, no row.
select -- columns a
from orders o
left join lateral (
  select * from shown_adjustments a
  where a.client_id = o.client_id and a.order_id = o.order_id
    and a.adjustment_id < coalesce(:after_id, 9223372036854775807)
  order by a.adjustment_id desc
  limit :page_size
) a on true
where o.client_id = :client_id and o.order_id = :order_id
order by a.adjustment_id desc
