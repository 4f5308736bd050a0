-- A dry run: checks the levels of a batch as lower-stock-levels.sql does, and finds what they would change.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), wanted as materialized (
  select g.line, g.stock_id, g.item_id, l.there is not null as there, coalesce(l.reserved, 0) as reserved, l.back_order,
    coalesce(l.on_hand, 0) as was, coalesce(g.on_hand, coalesce(l.on_hand, 0) + g.difference) as becomes
  from turn
  cross join unnest(:lines::bigint[], :stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[],
    :differences::bigint[]) as g (line, stock_id, item_id, on_hand, difference)
  left join lateral (
    select true as there, s.on_hand, s.reserved, s.back_order from stock_levels s
    where s.stock_id = g.stock_id and s.item_id = g.item_id
  ) l on true
), judged as materialized (
  select w.line, w.stock_id, w.item_id, w.there, w.was, w.becomes, case
      when not w.there and k.stock_id is null then 'stock_not_found'
      when not w.there and i.item_id is null then 'item_not_found'
      when w.becomes < 0 or w.becomes < w.was and w.becomes < w.reserved
        and not w.back_order then 'stock_below_reserved'
    end as code,
    jsonb_build_object('stock_id', w.stock_id, 'item_id', w.item_id, 'on_hand', w.becomes, 'reserved',
      w.reserved) as details
  from wanted w
  left join stocks k on not w.there and k.stock_id = w.stock_id
  left join items i on not w.there and i.item_id = w.item_id
), fresh as materialized (
  select j.stock_id, j.item_id, j.there, j.was, j.becomes from judged j
  where j.code is null and (not j.there or j.was <> j.becomes)
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, j.line, j.code, j.details from judged j, turn t where j.code is not null
), previewed as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('stock_id', f.stock_id, 'item_id', f.item_id,
    'added', not f.there, 'difference', f.becomes - f.was) order by f.stock_id, f.item_id)
  from fresh f, turn t
  group by t.import_id
), counted as (             -- Only when needed: it locks the import's row.
  update imports i set rows_refused = i.rows_refused + (select count(*) from judged where code is not null)
  from turn t
  where i.import_id = t.import_id and exists (select 1 from judged where code is not null)
)
update import_batches b set done_in = 'checking', refused = array(select line from judged where code is not null),
  rows_added = (select count(*) from fresh where not there), rows_changed = (select count(*) from fresh where there)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
