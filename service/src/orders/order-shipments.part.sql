-- Generated from order-fields.ts by npm run generate.
-- The lines of the shipments of an order (o) in one column: `shipmentFields`.
select coalesce(string_agg(concat_ws(E'\x1f',
  p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, p.order_item_id, p.quantity), E'\x1e'), '')
from (
  select p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, l.order_item_id, l.quantity
  from shipments p
  join shipment_lines l on l.client_id = p.client_id and l.order_id = p.order_id and l.shipment_id = p.shipment_id
  where p.client_id = o.client_id and p.order_id = o.order_id
  order by p.shipment_id, l.order_item_id
) p
