-- Writes the rest of a checked batch: increases and new levels. A level that was counted since the check keeps that
-- count.
with turn as materialized (
  select b.import_id, b.differences, b.counts from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
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
    for no key update of s
  ) l
  where g.difference > 0 and g.counts <> -1
), raised as (
  update stock_levels s set on_hand = s.on_hand + l.difference, counts = s.counts + l.counted::integer
  from level l
  where s.stock_id = l.stock_id and s.item_id = l.item_id and s.counts = l.counts
  returning s.stock_id, s.item_id, l.difference, s.counts
), made as (
  insert into stock_levels as s (stock_id, item_id, on_hand, counts)
  select g.stock_id, g.item_id, g.difference, g.counted::integer from given g
  where g.counts = -1 and (select count(*) from raised) >= 0 -- chained: raised first
  on conflict (stock_id, item_id) do nothing
  returning s.stock_id, s.item_id, s.on_hand as difference, s.counts
), written as (             -- What the check has lowered, and what was raised and made now.
  select g.stock_id, g.item_id, g.difference, g.counts, false as added from given g where g.difference < 0
  union all
  select r.stock_id, r.item_id, r.difference, r.counts, false from raised r
  union all
  select m.stock_id, m.item_id, m.difference, m.counts, true from made m
), published as (
  insert into changed_goods (kind, of_id, item_id)
  select 's', stock_id, item_id from raised union all select 's', stock_id, item_id from made
), noted as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('stock_id', w.stock_id, 'item_id', w.item_id,
    'added', w.added, 'difference', w.difference, 'counts', w.counts) order by w.stock_id, w.item_id)
  from written w, turn t
  group by t.import_id
)
update import_batches b set done_in = 'applying', rows_changed = b.rows_changed + (select count(*) from raised),
  rows_added = (select count(*) from made)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
