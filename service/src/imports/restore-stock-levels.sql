-- Undoes the lowering of a batch, where nobody has counted the level since.
with turn as materialized (
  select import_id from imports
  where import_id = :import_id and import_state = 'undoing' and next_batch = :batch
  for update
), level as materialized (
  select s.stock_id, s.item_id, g.difference, g.on_hand is not null as counted, g.counts
  from turn t
  join import_batches b on b.import_id = t.import_id and b.batch = :batch
  cross join lateral unnest(:stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[], b.differences, b.counts)
    as g (stock_id, item_id, on_hand, difference, counts)
  join stock_levels s on s.stock_id = g.stock_id and s.item_id = g.item_id
  where g.difference < 0
  order by s.stock_id, s.item_id
  for no key update of s
), restored as (
  update stock_levels s set on_hand = s.on_hand - l.difference
  from level l
  where s.stock_id = l.stock_id and s.item_id = l.item_id and (not l.counted or s.counts = l.counts)
  returning s.item_id
)
update imports i set next_batch = i.next_batch + 1, updated_at = now(), rows_done = i.rows_done + cardinality(:stock_ids::bigint[])
from turn t
where i.import_id = t.import_id and (select count(*) from restored) >= 0
returning i.import_id
