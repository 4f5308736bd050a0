-- Writes prices: one by hand, or a batch of an import whose turn it is.
with turn as materialized (
  select import_id from imports
  where import_id = :import_id and import_state = 'applying' and next_batch = :batch
  for update
), given as materialized (
  select g.price_list_id, g.item_id, g.price
  from unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[], :prices::numeric[]) as g (line, price_list_id, item_id, price)
  where (:import_id is null or exists (select 1 from turn)) and g.line <> all(:refused)
), written as (
  insert into prices as p (price_list_id, item_id, price)
  select price_list_id, item_id, price from given
  order by price_list_id, item_id
  on conflict (price_list_id, item_id) do update set price = excluded.price where p.price <> excluded.price
  returning xmax = 0 as added
), progress as (
  update imports i set next_batch = i.next_batch + 1, updated_at = now(), rows_done = i.rows_done + cardinality(:lines),
    rows_added = i.rows_added + (select count(*) from written where added), rows_changed = i.rows_changed + (select count(*) from written where not added)
  from turn t
  where i.import_id = t.import_id
  returning i.import_id
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'price', jsonb_build_object('price_list_id', price_list_id, 'item_id', item_id, 'price', price), :actor, :request_id from given
  where :import_id is null and exists (select 1 from written)
)
select (select count(*) from progress) as batches, (select bool_or(added) from written) as added
