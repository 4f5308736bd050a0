-- Writes the prices of a batch of an import that is in this state. Without breaks, a row leaves them as they are.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
  for update of b
), given as materialized (
  select g.price_list_id, g.item_id, g.price, g.break_quantities is not null as breaking,
    nullif(g.break_quantities::integer[], '{}') as break_quantities,
    nullif(g.break_prices::numeric[], '{}') as break_prices
  from unnest(:lines::bigint[], :price_list_ids::bigint[], :item_ids::bigint[], :prices::numeric[],
    :break_quantities::text[], :break_prices::text[]) as g (line, price_list_id, item_id, price, break_quantities,
    break_prices)
  where exists (select 1 from turn) and g.line <> all(:refused)
  order by g.price_list_id, g.item_id
), known as materialized (  -- What has to be written. Only prices that change are locked.
  select g.price_list_id, g.item_id, g.price, p.price as before,
    case when g.breaking then g.break_quantities else p.break_quantities end as break_quantities,
    case when g.breaking then g.break_prices else p.break_prices end as break_prices,
    nullif(shown_breaks(p.break_quantities, p.break_prices), '[]') as breaks_before
  from given g
  left join lateral (
    select n.price from prices n
    where n.price_list_id = g.price_list_id and n.item_id = g.item_id
  ) n on true
  left join lateral (
    select p.price, p.break_quantities, p.break_prices from prices p
    where p.price_list_id = g.price_list_id and p.item_id = g.item_id and (p.price <> g.price
      or g.breaking and (p.break_quantities, p.break_prices) is distinct from (g.break_quantities, g.break_prices))
    for no key update of p
  ) p on true
  where n.price is null or p.price is not null
), written as (
  insert into prices as p (price_list_id, item_id, price, break_quantities, break_prices)
  select price_list_id, item_id, price, break_quantities, break_prices from known
  order by price_list_id, item_id
  on conflict (price_list_id, item_id) do update set price = excluded.price,
    break_quantities = excluded.break_quantities, break_prices = excluded.break_prices
    where (p.price, p.break_quantities, p.break_prices)
      is distinct from (excluded.price, excluded.break_quantities, excluded.break_prices)
  returning xmax = 0 as added
), recorded as (            -- Not of a price that somebody else has added meanwhile: what it was is unknown.
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('price_list_id', k.price_list_id, 'item_id',
    k.item_id, 'before', k.before, 'after', k.price) || jsonb_strip_nulls(jsonb_build_object('breaks_before',
    k.breaks_before, 'breaks_after', nullif(shown_breaks(k.break_quantities, k.break_prices), '[]')))
    order by k.price_list_id, k.item_id)
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
