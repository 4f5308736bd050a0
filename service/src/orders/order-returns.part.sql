-- Generated from order-return.ts by npm run generate.
-- The lines of the returns of an order (o) in one column: `returnFields`.
select coalesce(string_agg(concat_ws(E'\x1f',
  r.return_id, r.return_datetime, r.reason, r.restocked, r.order_item_id, r.quantity), E'\x1e'), '')
from (
  select r.return_id, r.return_datetime, r.reason, r.restocked, l.order_item_id, l.quantity
  from order_returns r
  join order_return_lines l on l.client_id = r.client_id and l.order_id = r.order_id and l.return_id = r.return_id
  where r.client_id = o.client_id and r.order_id = o.order_id
  order by r.return_id, l.order_item_id
) r
