-- The open orders of each state and their totals in the base currency: of at most :most orders a state, the newest.
insert into open_figures (state_id, orders, total, more, counted_at)
select s.state, least(n.orders, :most), n.total, n.orders > :most, now()
from unnest(:states::text[]) s (state)
cross join lateral (
  select count(*) as orders, coalesce(sum(o.order_total * o.order_rate) filter (where o.place <= :most), 0) as total
  from (
    select order_total, order_rate, row_number() over () as place
    from (
      select o.order_total, o.order_rate from orders o
      where o.order_state_id = s.state
      order by o.order_create_datetime desc, o.order_id desc
      limit :most::bigint + 1
    ) o
  ) o
) n
on conflict on constraint open_figures_pkey do update set orders = excluded.orders, total = excluded.total,
  more = excluded.more, counted_at = excluded.counted_at
returning state_id
