-- Generated from order-fields.ts by npm run generate.
-- The lines of an order (o) in one column: `lineFields`. Lines that were dropped are not shown.
select coalesce(string_agg(concat_ws(E'\x1f',
  i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code,
  i.item_barcode, i.item_title, i.brand_id, i.brand_name), E'\x1e'), '')
from (
  select i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code,
    i.item_barcode, i.item_title, i.brand_id, i.brand_name
  from order_items i
  where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
  order by i.order_item_id
) i
