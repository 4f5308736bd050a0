-- Checks the levels of a batch and applies the decreases: only a decrease can be refused, and from then on no order
-- can take what is no longer there. Increases wait until the whole import is known to be good. Undoing a decrease is
-- an increase, so neither can be refused. Once an import in mode all has a bad row, the rest is only checked. For
-- each row, differences holds its change and counts how often the level was counted before, -1 if it is new.
with turn as materialized (
  select b.import_id, i.mode = 'rows' or i.rows_refused = 0 as promising from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.line, g.stock_id, g.item_id, g.on_hand, g.difference, g.place
  from turn, unnest(:lines::bigint[], :stock_ids::bigint[], :item_ids::bigint[], :on_hands::bigint[],
    :differences::bigint[])
    with ordinality as g (line, stock_id, item_id, on_hand, difference, place)
  order by g.stock_id, g.item_id
), wanted as materialized ( -- Locked in the order of the given rows.
  select g.line, g.place, g.stock_id, g.item_id, g.on_hand is not null as counted, l.counts is not null as there,
    l.counts,
    coalesce(l.reserved, 0) as reserved, l.back_order, coalesce(l.on_hand, 0) as was,
      coalesce(g.on_hand, coalesce(l.on_hand, 0) + g.difference) as becomes
  from given g
  left join lateral (
    select s.on_hand, s.reserved, s.back_order, s.counts from stock_levels s
    where s.stock_id = g.stock_id and s.item_id = g.item_id
    for no key update of s
  ) l on true
), judged as materialized (
  select w.line, w.place, w.stock_id, w.item_id, w.counted, w.there, w.counts, w.becomes - w.was as difference,
    case
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
), lowered as (
  update stock_levels s set on_hand = s.on_hand + j.difference, counts = s.counts + j.counted::integer
  from judged j, turn t
  where s.stock_id = j.stock_id and s.item_id = j.item_id and j.code is null and j.there and j.difference < 0
    and t.promising
  returning s.stock_id, s.item_id
), published as (
  insert into changed_goods (kind, of_id, item_id) select 's', stock_id, item_id from lowered
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, j.line, j.code, j.details from judged j, turn t where j.code is not null
), counted as (             -- Only when needed: it locks the import's row.
  update imports i set rows_refused = i.rows_refused + (select count(*) from judged where code is not null)
  from turn t
  where i.import_id = t.import_id and exists (select 1 from judged where code is not null)
)
update import_batches b set done_in = 'checking', rows_changed = (select count(*) from lowered),
  refused = array(select line from judged where code is not null),
  differences = array(select case when code is null and (difference >= 0 or t.promising) then difference end
    from judged order by place),
  counts = array(select case when there then counts + (counted and difference < 0)::integer else -1 end from judged
    order by place)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
