-- Adds the lines of an earlier order to a cart, with the stock, contract and budget of the order. Returns one row per
-- line that still has pieces; one empty row if there is none; no row without the cart and the order.
with cart as materialized (
  select k.client_id, k.cart_id, k.line_count, o.order_id, o.stock_id, o.contract_id,
    coalesce(o.order_advertising, '') as advertising
  from carts k
  join orders o on o.client_id = k.client_id and o.order_id = :order_id
  where k.client_id = :client_id and k.cart_id = :cart_id
), matched as materialized (
  select row_number() over (order by l.order_item_id) as place, l.order_item_quantity as quantity,
    k.stock_id, k.contract_id, k.advertising, l.order_item_price as ordered_price,
    l.item_id, 1 as matches, null::bigint[] as candidates
  from cart k
  join order_items l on l.client_id = k.client_id and l.order_id = k.order_id and l.order_item_quantity > 0
), -- include add-rows.part.sql
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select client_id, 'add-order-items', :idempotency_key, :request_digest,
    json_build_object('rows', (select coalesce(json_agg(s order by s.place), '[]') from shown s))
  from ruled
  where adding and :idempotency_key::text is not null
)
select s.place, s.refused, s.quantity, s.item_id, s.item_vendor_code, s.item_barcode, s.item_title, s.brand_id,
  s.brand_name, s.stock_id, s.contract_id, s.price, s.available, s.back_order, s.first_place, s.in_cart,
  s.line_quantity, s.cart_item_id, s.cart_quantity, s.quantity_min, s.quantity_multiple, s.next_quantity,
  s.unsold, s.ordered_price, s.price_changed
from ruled k
left join shown s on true
order by s.place
