-- Restores the items before an import, all of them or none: none if one of them has changed since. Items are never
-- deleted: those that the import has added are taken off sale. Names of products stay.
with import as materialized (
  -- include undone-import.part.sql
), change as materialized (
  select c.item_id, c.version, c.before
  from import m
  join import_changes b on b.import_id = m.import_id
  cross join lateral jsonb_to_recordset(b.changes) as c (item_id bigint, version integer, before jsonb)
  order by c.item_id
  limit :rows_max -- Cuts nothing off. The planner expects few rows, and looks each up by its key.
), present as materialized (
  select c.item_id, c.version, c.before, i.version as present_version, i.item_vendor_code from change c
  left join lateral (
    select i.version, i.item_vendor_code from items i
    where i.item_id = c.item_id
    for no key update of i
  ) i on true
), differing as materialized (
  select jsonb_build_object('item_id', p.item_id, 'item_vendor_code', p.item_vendor_code) as shown
  from present p
  where p.version is distinct from p.present_version
), verdict as materialized (
  -- include undo-verdict.part.sql
), restored as (
  update items i set version = i.version + 1, product_id = (c.before ->> 'product_id')::bigint,
    brand_id = (select b.brand_id from brands b where b.brand_name = c.before ->> 'brand_name'),
    item_vendor_code = c.before ->> 'item_vendor_code', item_barcode = c.before ->> 'item_barcode',
    item_title = c.before ->> 'item_title', on_sale = (c.before ->> 'on_sale')::boolean,
    quantity_min = coalesce((c.before ->> 'quantity_min')::integer, i.quantity_min), -- Earlier releases recorded none.
    quantity_multiple = coalesce((c.before ->> 'quantity_multiple')::integer, i.quantity_multiple)
  from present c, verdict v
  where v.possible and c.before is not null and i.item_id = c.item_id
), hidden as (
  update items i set version = i.version + 1, on_sale = false
  from present c, verdict v
  where v.possible and c.before is null and i.item_id = c.item_id
), worded as (
  insert into item_words (word, item_id)
  select n.word collate "C", c.item_id
  from verdict v, present c
  cross join lateral unnest(string_to_array(c.before ->> 'words', ' ')) as n (word)
  where v.possible and c.before is not null and not exists (
    select 1 from item_words x where x.item_id = c.item_id and x.word = n.word)
  on conflict do nothing
), unworded as (
  delete from item_words x using present c, verdict v
  where v.possible and c.before is not null and x.item_id = c.item_id
    and x.word <> all(string_to_array(c.before ->> 'words', ' ') collate "C")
), -- include undo-end.part.sql
