-- Finds the rows of a batch that cannot be written; in a dry run also what the others would change.
with turn as materialized (
  select b.import_id, i.dry_run from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.line, g.stock_id, g.item_id, level_refusal(g.stock_id, g.item_id, null, null) -> 0 as refused,
    nullif(arrivals_of(g.stock_id, g.item_id), '[]') as before, nullif(g.arrivals::jsonb, '[]') as after
  from turn
  cross join unnest(:lines::bigint[], :stock_ids::bigint[], :item_ids::bigint[], :arrivals::text[])
    as g (line, stock_id, item_id, arrivals)
), fresh as materialized (
  select g.stock_id, g.item_id, g.before, g.after from given g, turn t
  where t.dry_run and g.refused is null and g.before is distinct from g.after
), -- include preview-end.part.sql
