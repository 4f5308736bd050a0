-- Writes the rest of a checked batch: increases and new levels. A level that was counted since the check keeps that
-- count.
with turn as materialized (
  select b.import_id, b.differences, b.counts from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in <> 'applying'
  for update of b
), given as materialized (
  select g.stock_id, g.item_id, g.on_hand is not null as counted, g.difference, g.counts
  from turn t
  cross join lateral unnest(:stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[], t.differences, t.counts)
    as g (stock_id, item_id, on_hand, difference, counts)
  where g.difference is not null
  order by g.stock_id, g.item_id
), level as materialized (
  select g.stock_id, g.item_id, g.difference, g.counted, g.counts
  from given g
  cross join lateral (
    select s.item_id from stock_levels s
    where s.stock_id = g.stock_id and s.item_id = g.item_id
    offset 0 -- lookup fence
    for no key update of s
  ) l
  where g.difference > 0 and g.counts <> -1
), raised as (
  update stock_levels s set on_hand = s.on_hand + l.difference, counts = s.counts + l.counted::integer
  from level l
  where s.stock_id = l.stock_id and s.item_id = l.item_id and s.counts = l.counts
  returning s.item_id
), made as (
  insert into stock_levels as s (stock_id, item_id, on_hand, counts)
  select g.stock_id, g.item_id, g.difference, g.counted::integer from given g
  where g.counts = -1 and (select count(*) from raised) >= 0 -- chained: raised first
  on conflict (stock_id, item_id) do nothing
  returning s.item_id
)
update import_batches b set done_in = 'applying', rows_changed = b.rows_changed + (select count(*) from raised),
  rows_added = (select count(*) from made)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
