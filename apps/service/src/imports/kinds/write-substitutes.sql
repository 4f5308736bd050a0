-- Writes the good rows of a batch, in the order of the items.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
  for update of b
), given as materialized (
  select g.item_id, g.named::jsonb as named
  from turn
  cross join unnest(:lines::bigint[], :item_ids::bigint[], :named::text[]) as g (line, item_id, named)
  where g.line <> all(:refused::bigint[])
  order by g.item_id
), written as materialized (
  select g.item_id, named_substitutes(replace_substitutes(g.item_id, g.named)) as before,
    named_substitutes(g.named) as after
  from given g
), -- include write-end.part.sql
