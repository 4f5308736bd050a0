-- Writes what is left of a batch that was judged: levels that rise, and new ones. One that somebody has counted since then stays as they counted it.
with turn as materialized (
  select import_id from imports
  where import_id = :import_id and import_state = 'applying' and next_batch = :batch
  for update
), given as materialized (
  select g.stock_id, g.item_id, g.on_hand is not null as counted, g.difference, g.counts
  from turn t
  join import_batches b on b.import_id = t.import_id and b.batch = :batch
  cross join lateral unnest(:stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[], b.differences, b.counts)
    as g (stock_id, item_id, on_hand, difference, counts)
  where g.difference is not null
), level as materialized (
  select s.stock_id, s.item_id, g.difference, g.counted, g.counts
  from given g
  join stock_levels s on s.stock_id = g.stock_id and s.item_id = g.item_id
  where g.difference > 0 and g.counts is distinct from -1
  order by s.stock_id, s.item_id
  for no key update of s
), raised as (
  update stock_levels s set on_hand = s.on_hand + l.difference, counts = s.counts + l.counted::integer
  from level l
  where s.stock_id = l.stock_id and s.item_id = l.item_id and (not l.counted or s.counts = l.counts)
  returning s.item_id
), made as (                -- A difference is added to a level that has come into being since.
  insert into stock_levels as s (stock_id, item_id, on_hand, counts)
  select g.stock_id, g.item_id, g.difference, g.counted::integer from given g
  where g.counts = -1 and (select count(*) from raised) >= 0
  order by g.stock_id, g.item_id
  on conflict (stock_id, item_id) do update set on_hand = s.on_hand + excluded.on_hand where excluded.counts = 0
  returning s.item_id
)
update imports i set next_batch = i.next_batch + 1, updated_at = now(), rows_done = i.rows_done + cardinality(:stock_ids::bigint[]),
  rows_changed = i.rows_changed + (select count(*) from raised), rows_added = i.rows_added + (select count(*) from made)
from turn t
where i.import_id = t.import_id
returning i.import_id
