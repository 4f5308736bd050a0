-- Generated from order-fields.ts by npm run generate.
-- The lines of shipments (p) in one column: `shipmentFields`. They come from a sorted subquery.
coalesce(string_agg(concat_ws(E'\x1f',
  p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, p.order_item_id, p.quantity), E'\x1e'), '')
