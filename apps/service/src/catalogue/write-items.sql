-- Writes items with their products, brands and words: a single one, or a batch of an import that is in this state.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'applying'
  where b.import_id = :import_id and b.batch = :batch and b.done_in in ('receiving', 'checking')
  for update of b
), given as materialized (
  select g.*
  from unnest(:item_ids::bigint[], :product_ids::bigint[], :product_names::text[], :brand_names::text[],
    :vendor_codes::text[], :barcodes::text[], :titles::text[],
    :on_sales::boolean[], :quantity_mins::bigint[], :quantity_multiples::bigint[], :words::text[]) as g (item_id,
      product_id, product_name, brand_name, item_vendor_code, item_barcode, item_title, on_sale, quantity_min,
      quantity_multiple, words)
  where :import_id is null or exists (select 1 from turn)
  order by g.item_id
), known as materialized (  -- What has to be written. Existing items are locked by id.
  select g.item_id, g.product_id, g.brand_name, g.item_vendor_code, g.item_barcode, g.item_title, g.words,
    coalesce(g.on_sale, i.on_sale, true) as on_sale, coalesce(g.quantity_min, i.quantity_min, 1) as quantity_min,
    coalesce(g.quantity_multiple, i.quantity_multiple, 1) as quantity_multiple,
    i.item_id is not null as there, i.version as old_version,
    case when i.item_id is not null then jsonb_build_object('item_vendor_code', i.item_vendor_code, 'item_barcode',
      i.item_barcode, 'item_title', i.item_title, 'brand_name', i.brand_name, 'product_id', i.product_id, 'on_sale',
      i.on_sale, 'quantity_min', i.quantity_min, 'quantity_multiple', i.quantity_multiple, 'words',
      (select string_agg(x.word, ' ') from item_words x where x.item_id = i.item_id)) end as before,
    i.version <> (select s.version from items s where s.item_id = g.item_id) as stale
  from given g
  left join lateral (
    select i.item_id, i.product_id, i.item_vendor_code, i.item_barcode, i.item_title, i.on_sale, i.version,
      coalesce(i.quantity_min, 1) as quantity_min, coalesce(i.quantity_multiple, 1) as quantity_multiple,
      (select b.brand_name from brands b where b.brand_id = i.brand_id) as brand_name
    from items i
    where i.item_id = g.item_id
    for no key update of i
  ) i on true
  where (i.item_id, i.product_id, i.brand_name, i.item_vendor_code, i.item_barcode, i.item_title, i.on_sale,
      i.quantity_min, i.quantity_multiple)
    is distinct from (g.item_id, g.product_id, g.brand_name, g.item_vendor_code, g.item_barcode, g.item_title,
      coalesce(g.on_sale, i.on_sale, true), coalesce(g.quantity_min, i.quantity_min, 1),
      coalesce(g.quantity_multiple, i.quantity_multiple, 1))
), calm as materialized (
  -- An item changed concurrently: its words are unknown, so nothing is written and the caller retries.
  select count(*) filter (where stale) = 0 as calm from known
), fresh as materialized (
  select k.* from known k, calm c where c.calm
), product as (             -- Without a name, an existing product keeps its own and a new one gets the item's title.
  insert into products as p (product_id, product_name)
  select distinct on (g.product_id) g.product_id, coalesce(g.product_name, g.item_title) from given g
  where (select calm from calm)
    and (select coalesce(g.product_name, k.product_name) = k.product_name from products k
      where k.product_id = g.product_id) is not true
  order by g.product_id, g.product_name is null, g.item_id desc
  on conflict (product_id) do update set product_name = excluded.product_name
    where exists (select 1 from given g where g.product_id = excluded.product_id and g.product_name is not null)
  returning p.product_id
), brand as (
  insert into brands (brand_name)
  select distinct k.brand_name from fresh k
  where (select b.brand_id from brands b where b.brand_name = k.brand_name) is null
    and (select count(*) from product) >= 0 -- chained: product first
  order by k.brand_name
  on conflict (brand_name) do update set brand_name = excluded.brand_name
  returning brand_id, brand_name
), branded as materialized (
  select k.*, coalesce((select b.brand_id from brands b where b.brand_name = k.brand_name),
    (select b.brand_id from brand b where b.brand_name = k.brand_name)) as brand_id
  from fresh k
), made as (                -- Of two concurrent inserts items_pkey refuses the second, whose retry finds the row.
  insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale,
    quantity_min, quantity_multiple)
  select item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale,
    case when quantity_min + quantity_multiple > 2 then quantity_min end,
    case when quantity_min + quantity_multiple > 2 then quantity_multiple end
  from branded
  where not there
), changed as (
  update items i set product_id = k.product_id, brand_id = k.brand_id, item_vendor_code = k.item_vendor_code,
    item_barcode = k.item_barcode,
    item_title = k.item_title, on_sale = k.on_sale,
    quantity_min = case when k.quantity_min + k.quantity_multiple > 2 then k.quantity_min end,
    quantity_multiple = case when k.quantity_min + k.quantity_multiple > 2 then k.quantity_multiple end,
    version = i.version + 1
  from branded k
  where k.there and i.item_id = k.item_id
), worded as (              -- In index order and without "on conflict": two thirds of the cost.
  insert into item_words (word, item_id)
  select distinct lower(n.word) collate "C" as word, k.item_id
  from fresh k
  cross join lateral unnest(string_to_array(k.words, ' ')) as n (word)
  where not (k.there and exists (select 1 from item_words x where x.item_id = k.item_id
    and x.word = lower(n.word)))
  order by word, k.item_id
), unworded as (
  delete from item_words x using fresh k
  where k.there and x.item_id = k.item_id and x.word <> all(string_to_array(lower(k.words), ' ') collate "C")
), progress as (
  update import_batches b set done_in = 'applying', rows_added = (select count(*) from fresh where not there),
    rows_changed = (select count(*) from fresh where there)
  from turn t
  where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id and (select calm from calm)
  returning b.batch
), recorded as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('item_id', k.item_id, 'version',
    coalesce(k.old_version, 0) + 1, 'before', k.before, 'after', jsonb_build_object('item_vendor_code',
    k.item_vendor_code, 'item_barcode', k.item_barcode, 'item_title', k.item_title, 'brand_name', k.brand_name,
    'product_id', k.product_id, 'on_sale', k.on_sale, 'quantity_min', k.quantity_min, 'quantity_multiple',
    k.quantity_multiple)) order by k.item_id)
  from fresh k, turn t
  group by t.import_id
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'item',
    to_jsonb(g) - 'words' || coalesce((select jsonb_build_object('on_sale', k.on_sale, 'quantity_min',
      k.quantity_min, 'quantity_multiple', k.quantity_multiple, 'before', k.before - 'words')
      from fresh k limit 1), '{}'),
    :actor, :request_id
  from given g
  where :import_id is null and (exists (select 1 from fresh) or exists (select 1 from product))
)
select (select batch from progress) as batch,
  coalesce((select bool_or(not there) from fresh), case when exists (select 1 from product) then false end) as added
from calm where calm
