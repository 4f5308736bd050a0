-- Writes items with their products, brands and words: one by hand, or a batch of an import whose turn it is.
with turn as materialized (
  select import_id from imports
  where import_id = :import_id and import_state = 'applying' and next_batch = :batch
  for update
), given as materialized (
  select g.*
  from unnest(:item_ids::bigint[], :product_ids::bigint[], :product_names::text[], :brand_names::text[], :vendor_codes::text[], :barcodes::text[], :titles::text[],
    :on_sales::boolean[], :words::text[]) as g (item_id, product_id, product_name, brand_name, item_vendor_code, item_barcode, item_title, on_sale, words)
  where :import_id is null or exists (select 1 from turn)
), product as (             -- Without a name given, one that is there keeps its name, and a new one is called after the item.
  insert into products as p (product_id, product_name)
  select distinct on (g.product_id) g.product_id, coalesce(g.product_name, g.item_title) from given g
  where g.product_name is not null or not exists (select 1 from products k where k.product_id = g.product_id)
  order by g.product_id, g.product_name is null, g.item_id desc
  on conflict (product_id) do update set product_name = excluded.product_name where p.product_name <> excluded.product_name
  returning p.product_id
), brand_made as (
  insert into brands (brand_name)
  select distinct g.brand_name from given g
  where not exists (select 1 from brands b where b.brand_name = g.brand_name) and (select count(*) from product) >= 0
  order by g.brand_name
  on conflict (brand_name) do update set brand_name = excluded.brand_name
  returning brand_id, brand_name
), brand as materialized (
  select brand_id, brand_name from brand_made
  union all
  select brand_id, brand_name from brands where brand_name in (select brand_name from given)
), written as (
  insert into items as i (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale)
  select g.item_id, g.product_id, b.brand_id, g.item_vendor_code, g.item_barcode, g.item_title, g.on_sale
  from given g
  join brand b on b.brand_name = g.brand_name
  order by g.item_id
  on conflict (item_id) do update set product_id = excluded.product_id, brand_id = excluded.brand_id, item_vendor_code = excluded.item_vendor_code,
    item_barcode = excluded.item_barcode, item_title = excluded.item_title, on_sale = excluded.on_sale
  where (i.product_id, i.brand_id, i.item_vendor_code, i.item_barcode, i.item_title, i.on_sale)
    is distinct from (excluded.product_id, excluded.brand_id, excluded.item_vendor_code, excluded.item_barcode, excluded.item_title, excluded.on_sale)
  returning i.item_id, xmax = 0 as added
), word as materialized (
  select distinct lower(n.word) as word, w.item_id
  from written w
  join given g on g.item_id = w.item_id
  cross join lateral unnest(string_to_array(g.words, ' ')) as n (word)
), worded as (
  insert into item_words (word, item_id)
  select word, item_id from word
  on conflict (word, item_id) do nothing
), unworded as (
  delete from item_words x using written w
  where x.item_id = w.item_id and not w.added and not exists (select 1 from word n where n.item_id = x.item_id and n.word = x.word)
), progress as (
  update imports i set next_batch = i.next_batch + 1, updated_at = now(), rows_done = i.rows_done + cardinality(:item_ids),
    rows_added = i.rows_added + (select count(*) from written where added), rows_changed = i.rows_changed + (select count(*) from written where not added)
  from turn t
  where i.import_id = t.import_id
  returning i.import_id
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'item', to_jsonb(g) - 'words', :actor, :request_id from given g
  where :import_id is null and (exists (select 1 from written) or exists (select 1 from product))
)
select (select count(*) from progress) as batches, (select bool_or(added) from written) as added
