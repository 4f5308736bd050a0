insert into stock_levels (stock_id, item_id, on_hand, reserved, back_order)
select s, n, case n % 200 when 3 then 0 else coalesce(h.held, 0) + 50 + pg_temp.pick(n, 20, 950) end,
  coalesce(h.held, 0), n % 200 = 3
from generate_series(:from, :to) n
cross join generate_series(1, 3) s
left join bench_load.held h on h.stock_id = s and h.item_id = n
