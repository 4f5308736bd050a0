-- Judges the levels of a batch, and lowers those that sink: only lowering can be refused, and from then on nobody can take what is no longer there.
-- What is to rise waits until the whole import is known to be good. Undoing a lowering is a rise too, so neither can ever be refused.
-- Once an import of all or nothing has a bad row, the rest is judged only. For each row differences says by how much it changes, and counts how often the level was counted before: -1 where it is new.
with turn as materialized (
  select import_id, mode = 'rows' or rows_refused = 0 as promising from imports
  where import_id = :import_id and import_state = 'checking' and next_batch = :batch
  for update
), given as materialized (
  select g.line, g.stock_id, g.item_id, g.on_hand, g.difference, g.place
  from turn, unnest(:lines::bigint[], :stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[], :differences::bigint[])
    with ordinality as g (line, stock_id, item_id, on_hand, difference, place)
), level as materialized (
  select g.place, s.on_hand, s.reserved, s.back_order, s.counts
  from given g
  join stock_levels s on s.stock_id = g.stock_id and s.item_id = g.item_id
  order by s.stock_id, s.item_id
  for no key update of s
), wanted as materialized (
  select g.line, g.place, g.stock_id, g.item_id, g.on_hand is not null as counted, l.place is not null as there, coalesce(l.counts, -1) as counts,
    coalesce(l.reserved, 0) as reserved, l.back_order, coalesce(l.on_hand, 0) as was, coalesce(g.on_hand, coalesce(l.on_hand, 0) + g.difference) as becomes
  from given g
  left join level l on l.place = g.place
), judged as materialized (
  select w.line, w.place, w.stock_id, w.item_id, w.counted, w.there, w.counts, w.becomes - w.was as difference,
    case
      when not w.there and k.stock_id is null then 'stock_not_found'
      when not w.there and i.item_id is null then 'item_not_found'
      when w.becomes < 0 or w.becomes < w.was and w.becomes < w.reserved and not w.back_order then 'stock_below_reserved'
    end as code,
    jsonb_build_object('stock_id', w.stock_id, 'item_id', w.item_id, 'on_hand', w.becomes, 'reserved', w.reserved) as details
  from wanted w
  left join stocks k on not w.there and k.stock_id = w.stock_id
  left join items i on not w.there and i.item_id = w.item_id
), lowered as (
  update stock_levels s set on_hand = s.on_hand + j.difference, counts = s.counts + j.counted::integer
  from judged j, turn t
  where s.stock_id = j.stock_id and s.item_id = j.item_id and j.code is null and j.there and j.difference < 0 and t.promising
  returning s.item_id
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, j.line, j.code, j.details from judged j, turn t where j.code is not null
), marked as (
  update import_batches b set refused = array(select line from judged where code is not null),
    differences = array(select case when code is null and (difference >= 0 or t.promising) then difference end from judged order by place),
    counts = array(select case when not there then -1 when counted then counts + (difference < 0)::integer end from judged order by place)
  from turn t
  where b.import_id = t.import_id and b.batch = :batch
)
update imports i set next_batch = i.next_batch + 1, updated_at = now(), rows_done = i.rows_done + (select count(*) from given),
  rows_changed = i.rows_changed + (select count(*) from lowered),
  rows_refused = i.rows_refused + (select count(*) from judged where code is not null)
from turn t
where i.import_id = t.import_id
returning i.import_id
