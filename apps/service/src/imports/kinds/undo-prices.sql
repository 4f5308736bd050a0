-- Restores the prices before an import, all of them or none: none if one of them has changed since.
with import as materialized (
  -- include undone-import.part.sql
), change as materialized (
  select c.price_list_id, c.item_id, c.before, c.after, c.breaks_before, c.breaks_after
  from import m
  join import_changes b on b.import_id = m.import_id
  cross join lateral jsonb_to_recordset(b.changes) as c (price_list_id bigint, item_id bigint, before numeric,
    after numeric, breaks_before jsonb, breaks_after jsonb)
  order by c.price_list_id, c.item_id
  limit :rows_max -- Cuts nothing off. The planner expects few rows, and looks each up by its key.
), present as materialized (
  select c.price_list_id, c.item_id, c.before, c.after, c.breaks_before, p.price,
    shown_breaks(p.break_quantities, p.break_prices) = coalesce(c.breaks_after, '[]') as unbroken
  from change c
  left join lateral (
    select p.price, p.break_quantities, p.break_prices from prices p
    where p.price_list_id = c.price_list_id and p.item_id = c.item_id
    for update of p
  ) p on true
), differing as materialized (
  select jsonb_build_object('price_list_id', p.price_list_id, 'item_id', p.item_id, 'imported', p.after, 'present',
    p.price) as shown
  from present p
  where p.price is distinct from p.after or not p.unbroken
), verdict as materialized (
  -- include undo-verdict.part.sql
), restored as (
  update prices p set price = c.before, break_quantities = (
      select array_agg((b ->> 'quantity')::integer order by place)
      from jsonb_array_elements(c.breaks_before) with ordinality a (b, place)
    ), break_prices = (
      select array_agg((b ->> 'price')::numeric order by place)
      from jsonb_array_elements(c.breaks_before) with ordinality a (b, place)
    )
  from present c, verdict v
  where v.possible and c.before is not null and p.price_list_id = c.price_list_id and p.item_id = c.item_id
), removed as (
  delete from prices p using present c, verdict v
  where v.possible and c.before is null and p.price_list_id = c.price_list_id and p.item_id = c.item_id
), -- include undo-end.part.sql
