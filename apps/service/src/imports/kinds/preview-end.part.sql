previewed as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(to_jsonb(f)) from fresh f, turn t group by t.import_id
), noted as (
  insert into import_errors (import_id, line, code, details)
  select t.import_id, g.line, g.refused ->> 'code', (g.refused -> 'details')::jsonb from given g, turn t
  where g.refused is not null
), counted as (             -- Only when needed: it locks the import's row.
  update imports i set rows_refused = i.rows_refused + (select count(refused) from given)
  from turn t
  where i.import_id = t.import_id and exists (select from given where refused is not null)
)
update import_batches b set done_in = 'checking', refused = array(select line from given where refused is not null),
  rows_added = (select count(*) from fresh where before is null),
  rows_changed = (select count(*) from fresh where before is not null)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
