-- Writes the prices of a batch of an import that is in this state.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
  for update of b
), given as materialized (
  select g.price_list_id, g.item_id, g.price
  from unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[], :prices::numeric[]) as g (line,
    price_list_id, item_id, price)
  where exists (select 1 from turn) and g.line <> all(:refused)
  order by g.price_list_id, g.item_id
), known as materialized (  -- What has to be written. Only prices that change are locked.
  select g.price_list_id, g.item_id, g.price, p.price as before
  from given g
  left join lateral (
    select n.price from prices n
    where n.price_list_id = g.price_list_id and n.item_id = g.item_id
  ) n on true
  left join lateral (
    select p.price from prices p
    where p.price_list_id = g.price_list_id and p.item_id = g.item_id and p.price <> g.price
    for no key update of p
  ) p on true
  where n.price is null or p.price is not null
), written as (
  insert into prices as p (price_list_id, item_id, price)
  select price_list_id, item_id, price from known
  order by price_list_id, item_id
  on conflict (price_list_id, item_id) do update set price = excluded.price where p.price <> excluded.price
  returning xmax = 0 as added
), recorded as (            -- Not of a price that somebody else has added meanwhile: what it was is unknown.
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('price_list_id', k.price_list_id, 'item_id',
    k.item_id, 'before', k.before, 'after', k.price) order by k.price_list_id, k.item_id)
  from known k, turn t
  where k.before is not null
    or (select count(*) from written where added) = (select count(*) from known where before is null)
  group by t.import_id
), progress as (
  update import_batches b set done_in = 'applying', rows_added = (select count(*) from written where added),
    rows_changed = (select count(*) from written where not added)
  from turn t
  where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
  returning b.batch
)
select batch from progress
