-- Undoes the decreases of a batch, unless a level was counted since. A batch that was written completely before its
-- import was stopped stays as it is.
with turn as materialized (
  select b.import_id, b.differences, b.counts, b.done_in = 'applying' as written from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'undoing'
  where b.import_id = :import_id and b.batch = :batch and b.done_in <> 'undoing'
  for update of b
), given as materialized (
  select g.stock_id, g.item_id, g.difference, g.counts
  from turn t
  cross join lateral unnest(:stock_ids::bigint[], :item_ids::bigint[], t.differences, t.counts) as g (stock_id, item_id,
    difference, counts)
  where g.difference < 0 and not t.written
  order by g.stock_id, g.item_id
), level as materialized (
  select g.stock_id, g.item_id, g.difference, g.counts
  from given g
  cross join lateral (
    select s.item_id from stock_levels s
    where s.stock_id = g.stock_id and s.item_id = g.item_id
    for no key update of s
  ) l
), restored as (
  update stock_levels s set on_hand = s.on_hand - l.difference
  from level l
  where s.stock_id = l.stock_id and s.item_id = l.item_id and s.counts = l.counts
  returning s.stock_id, s.item_id
), published as (
  insert into changed_goods (kind, of_id, item_id) select 's', stock_id, item_id from restored
)
update import_batches b set done_in = 'undoing', rows_changed = case when t.written then b.rows_changed else 0 end
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
  and (select count(*) from restored) >= 0 -- chained: restored first
returning b.batch
