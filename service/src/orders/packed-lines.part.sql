-- Generated from order-fields.ts by npm run generate.
-- The lines (i) of an order in one column: `lineFields`. They come from a sorted subquery.
coalesce(string_agg(concat_ws(E'\x1f',
  i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code,
  i.item_barcode, i.item_title, i.brand_id, i.brand_name), E'\x1e'), '')
