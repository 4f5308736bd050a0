-- Writes the prices of a batch of an import that is in this state.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in <> 'applying'
  for update of b
), given as materialized (
  select g.price_list_id, g.item_id, g.price
  from unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[], :prices::numeric[]) as g (line,
    price_list_id, item_id, price)
  where exists (select 1 from turn) and g.line <> all(:refused)
), written as (
  insert into prices as p (price_list_id, item_id, price)
  select price_list_id, item_id, price from given
  order by price_list_id, item_id
  on conflict (price_list_id, item_id) do update set price = excluded.price where p.price <> excluded.price
  returning xmax = 0 as added
), progress as (
  update import_batches b set done_in = 'applying', rows_added = (select count(*) from written where added),
    rows_changed = (select count(*) from written where not added)
  from turn t
  where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
  returning b.batch
)
select batch from progress
