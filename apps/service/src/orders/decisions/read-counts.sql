-- Figures for the order desk. Each is counted from one index and at most to :most + 1, so the cost does not depend on
-- the number of orders. Sorting, and bounds that exclude nothing, make PostgreSQL read the index instead of the table.
with counted as (
  select 'state' as counted, s.place, s.state as name, null::bigint as stock_id, n.count, false as cut
  from unnest(:states::text[]) with ordinality as s (state, place)
  cross join lateral (
    select count(*) from (
      select 1 from orders o
      where o.order_state_id = s.state
      order by o.order_create_datetime desc, o.order_id desc
      limit :most::bigint + 1
    ) o
  ) n
  union all
  select 'stock', s.place, s.state, k.stock_id, n.count, false
  from stocks k
  cross join unnest(:open_states::text[]) with ordinality as s (state, place)
  cross join lateral (
    select count(*) from (
      select 1 from orders o
      where o.stock_id = k.stock_id and o.order_state_id = s.state
      order by o.order_create_datetime desc, o.order_id desc
      limit :most + 1
    ) o
  ) n
  union all
  select 'inbox', 1, 'cancellation', null, count(*), false
  from (
    select 1 from orders o
    where o.order_state_id = 'zayavka-na-otmen' and o.order_update_datetime > '-infinity'
    order by o.order_update_datetime, o.order_id
    limit :most + 1
  ) o
  union all
  select 'inbox', 2, 'adjustment', null, count(*), false
  from (
    select 1 from adjustments a
    where a.adjustment_status = 'WAIT' and a.adjustment_date_create > '-infinity'
    order by a.adjustment_date_create, a.adjustment_id
    limit :most + 1
  ) a
  union all
  select 'inbox', 3, 'return', null, count(*), false
  from (
    select 1 from return_requests q
    where q.request_status = 'WAIT' and q.request_datetime > '-infinity'
    order by q.request_datetime, q.return_request_id
    limit :most + 1
  ) q
  union all
  select 'held', 1, '', null, count(*), false
  from (
    select 1 from orders o
    where o.hold_reason is not null and o.order_create_datetime < 'infinity'
    order by o.order_create_datetime desc, o.order_id desc
    limit :most + 1
  ) o
  union all                -- Of the levels that may be short, at most :levels_max are examined.
  select 'short', 1, '', null, count(*) filter (where l.reserved > l.on_hand), count(*) > :levels_max
  from (
    select l.on_hand, l.reserved from stock_levels l
    where (l.back_order or l.shortage > 0) and l.item_id > 0
    order by l.item_id, l.stock_id
    limit :levels_max::bigint + 1
  ) l
)
select c.counted, c.name, c.stock_id, k.stock_name, least(c.count, :most) as count, c.count > :most or c.cut as more
from counted c
left join stocks k on k.stock_id = c.stock_id
order by c.counted, c.stock_id, c.place
