-- Writes the good rows of a batch, in the order of the levels.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
  for update of b
), given as materialized (
  select g.stock_id, g.item_id, g.arrivals::jsonb as arrivals
  from turn
  cross join unnest(:lines::bigint[], :stock_ids::bigint[], :item_ids::bigint[], :arrivals::text[])
    as g (line, stock_id, item_id, arrivals)
  where g.line <> all(:refused::bigint[])
  order by g.stock_id, g.item_id
), written as materialized (
  select g.stock_id, g.item_id, nullif(replace_arrivals(g.stock_id, g.item_id, g.arrivals), '[]') as before,
    nullif(g.arrivals, '[]') as after
  from given g
), -- include write-end.part.sql
