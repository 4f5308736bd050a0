-- The third price list lacks one of a thousand items.
insert into prices (price_list_id, item_id, price)
select l, n,
  round((1 + pg_temp.pick(n, 9, 40000) / 100.0) * (array[1, 1.05, 160])[l], case l when 3 then 0 else 2 end)
from generate_series(:from, :to) n, generate_series(1, 3) l
where l < 3 or n % 1000 <> 7
