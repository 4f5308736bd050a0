-- A dry run: finds the rows of a batch that cannot be written, and what the others would change.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.line, g.price_list_id, g.item_id, g.price, r.price_list_id is not null as listed,
    i.item_id is not null as there, p.price as before,
    nullif(shown_breaks(p.break_quantities, p.break_prices), '[]') as breaks_before,
    nullif(case when g.break_quantities is null then shown_breaks(p.break_quantities, p.break_prices)
      else shown_breaks(g.break_quantities::integer[], g.break_prices::numeric[]) end, '[]') as breaks_after
  from turn
  cross join unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[], :prices::numeric[],
    :break_quantities::text[], :break_prices::text[])
    as g (line, price_list_id, item_id, price, break_quantities, break_prices)
  left join price_lists r on r.price_list_id = g.price_list_id
  left join items i on i.item_id = g.item_id
  left join prices p on p.price_list_id = g.price_list_id and p.item_id = g.item_id
), bad as materialized (
  select g.line, case when g.listed then 'item_not_found' else 'price_list_not_found' end as code,
    case when g.listed then jsonb_build_object('item_id', g.item_id)
      else jsonb_build_object('price_list_id', g.price_list_id) end as details
  from given g
  where not g.listed or not g.there
), fresh as materialized (
  select g.price_list_id, g.item_id, g.price, g.before, g.breaks_before, g.breaks_after from given g
  where g.listed and g.there and (g.before, g.breaks_before) is distinct from (g.price, g.breaks_after)
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, b.line, b.code, b.details from bad b, turn t
), previewed as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('price_list_id', f.price_list_id, 'item_id',
    f.item_id, 'before', f.before, 'after', f.price) || jsonb_strip_nulls(jsonb_build_object('breaks_before',
    f.breaks_before, 'breaks_after', f.breaks_after)) order by f.price_list_id, f.item_id)
  from fresh f, turn t
  group by t.import_id
), counted as (             -- Only when needed: it locks the import's row.
  update imports i set rows_refused = i.rows_refused + (select count(*) from bad)
  from turn t
  where i.import_id = t.import_id and exists (select 1 from bad)
)
update import_batches b set done_in = 'checking', refused = array(select line from bad),
  rows_added = (select count(*) from fresh where before is null),
  rows_changed = (select count(*) from fresh where before is not null)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
