-- A dry run: finds what the items of a batch would change.
with turn as materialized (
  select b.import_id from import_batches b
  join imports i on i.import_id = b.import_id and i.import_state = 'checking'
  where b.import_id = :import_id and b.batch = :batch and b.done_in = 'receiving'
  for update of b
), given as materialized (
  select g.item_id, g.on_sale, g.quantity_min, g.quantity_multiple, jsonb_build_object(
    'item_vendor_code', g.item_vendor_code, 'item_barcode', g.item_barcode, 'item_title', g.item_title,
    'brand_name', g.brand_name, 'product_id', g.product_id) as after
  from turn
  cross join unnest(:item_ids::bigint[], :product_ids::bigint[], :brand_names::text[], :vendor_codes::text[],
    :barcodes::text[], :titles::text[], :on_sales::boolean[], :quantity_mins::bigint[], :quantity_multiples::bigint[])
    as g (item_id, product_id, brand_name, item_vendor_code, item_barcode, item_title, on_sale, quantity_min,
      quantity_multiple)
), fresh as materialized (
  select g.item_id, a.after, i.before from given g
  left join lateral (
    select i.on_sale, i.quantity_min, i.quantity_multiple, jsonb_build_object('item_vendor_code',
      i.item_vendor_code, 'item_barcode', i.item_barcode, 'item_title', i.item_title,
      'brand_name', (select b.brand_name from brands b where b.brand_id = i.brand_id),
      'product_id', i.product_id, 'on_sale', i.on_sale, 'quantity_min', coalesce(i.quantity_min, 1),
      'quantity_multiple', coalesce(i.quantity_multiple, 1)) as before
    from items i
    where i.item_id = g.item_id
  ) i on true
  cross join lateral (
    select g.after || jsonb_build_object('on_sale', coalesce(g.on_sale, i.on_sale, true), 'quantity_min',
      coalesce(g.quantity_min, i.quantity_min, 1), 'quantity_multiple',
      coalesce(g.quantity_multiple, i.quantity_multiple, 1)) as after
  ) a
  where i.before is distinct from a.after
), previewed as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(jsonb_build_object('item_id', f.item_id, 'before', f.before, 'after',
    f.after) order by f.item_id)
  from fresh f, turn t
  group by t.import_id
)
update import_batches b set done_in = 'checking', rows_added = (select count(*) from fresh where before is null),
  rows_changed = (select count(*) from fresh where before is not null)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
