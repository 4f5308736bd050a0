-- Finds the rows of a batch that cannot be written; in a dry run also what the others would change.
with turn as materialized (
  select b.import_id, i.dry_run from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.line, g.item_id, substitutes_refusal(g.item_id, g.named::jsonb) -> 0 as refused,
    named_substitutes(stand_ins_of(g.item_id)) as before, named_substitutes(g.named::jsonb) as after
  from turn
  cross join unnest(:lines::bigint[], :item_ids::bigint[], :named::text[]) as g (line, item_id, named)
), fresh as materialized (
  select g.item_id, g.before, g.after from given g, turn t
  where t.dry_run and g.refused is null and g.before is distinct from g.after
), -- include preview-end.part.sql
