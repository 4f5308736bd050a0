-- Takes back what an import has added to or taken from stock levels, all of it or nothing: nothing if a level was
-- counted since, or if orders have reserved or shipped the goods. Orders that came and went meanwhile do not matter
-- otherwise.
with import as materialized (
  -- include undone-import.part.sql
), change as materialized (
  select c.stock_id, c.item_id, c.difference, c.counts
  from import m
  join import_changes b on b.import_id = m.import_id
  cross join lateral jsonb_to_recordset(b.changes) as c (stock_id bigint, item_id bigint, difference bigint,
    counts bigint)
  order by c.stock_id, c.item_id
  limit :rows_max -- Cuts nothing off. The planner expects few rows, and looks each up by its key.
), present as materialized (
  select c.stock_id, c.item_id, c.difference, c.counts, s.counts as present_counts, s.on_hand, s.reserved, s.back_order
  from change c
  left join lateral (
    select s.counts, s.on_hand, s.reserved, s.back_order from stock_levels s
    where s.stock_id = c.stock_id and s.item_id = c.item_id
    for no key update of s
  ) s on true
), differing as materialized (
  select jsonb_build_object('stock_id', p.stock_id, 'item_id', p.item_id, 'difference', p.difference, 'on_hand',
    p.on_hand, 'reserved', p.reserved) as shown
  from present p
  where p.counts is distinct from p.present_counts or p.on_hand < p.difference
    or p.difference > 0 and not p.back_order and p.on_hand - p.difference < p.reserved
), verdict as materialized (
  -- include undo-verdict.part.sql
), restored as (
  update stock_levels s set on_hand = s.on_hand - c.difference, counts = s.counts + 1
  from present c, verdict v
  where v.possible and s.stock_id = c.stock_id and s.item_id = c.item_id
  returning s.stock_id, s.item_id
), published as (
  insert into changed_goods (kind, of_id, item_id) select 's', stock_id, item_id from restored
), -- include undo-end.part.sql
