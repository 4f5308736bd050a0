-- Finds the rows of a batch that cannot be written.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.line, g.price_list_id, g.item_id
  from turn, unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[]) as g (line, price_list_id,
    item_id)
), bad as materialized (
  select g.line,
    case when r.price_list_id is null then 'price_list_not_found' else 'item_not_found' end as code,
    case when r.price_list_id is null then jsonb_build_object('price_list_id', g.price_list_id)
      else jsonb_build_object('item_id', g.item_id) end as details
  from given g
  left join price_lists r on r.price_list_id = g.price_list_id
  left join items i on i.item_id = g.item_id
  where r.price_list_id is null or i.item_id is null
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, b.line, b.code, b.details from bad b, turn t
), counted as (             -- Only when needed: it locks the import's row.
  update imports i set rows_refused = i.rows_refused + (select count(*) from bad)
  from turn t
  where i.import_id = t.import_id and exists (select 1 from bad)
)
update import_batches b set done_in = 'checking', refused = array(select line from bad)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
