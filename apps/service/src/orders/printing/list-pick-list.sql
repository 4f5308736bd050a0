-- A page of what is to be picked in a stock: its orders in fulfilling with what is open, oldest first. Virtual orders
-- and orders on hold are not picked. One row without an order if there is nothing to pick; none if there is no such
-- stock.
with bounds as (
  select coalesce((select order_create_datetime from orders where order_id = :after_id::bigint), '-infinity') as since,
    coalesce(:after_id, 0) as since_id
)
select o.order_id, o.order_number, c.client_name, o.order_shipping_date, o.comment, (
    select coalesce(string_agg(concat_ws(E'\x1f', i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id,
      i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name), E'\x1e'), '')
    from (
      select i.order_item_id, i.order_item_quantity - i.shipped_quantity as order_item_quantity, i.order_item_price,
        i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name
      from order_items i
      where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > i.shipped_quantity
      order by i.order_item_id
    ) i
  ) as lines
from stocks s
left join lateral (
  select o.client_id, o.order_id, o.order_number, o.order_create_datetime, o.order_shipping_date, o.comment
  from orders o
  where o.stock_id = s.stock_id and o.order_state_id = 'fulfilling' and not o.virtual and o.hold_reason is null
    and (o.order_create_datetime, o.order_id) > ((select since from bounds), (select since_id from bounds))
  order by o.order_create_datetime, o.order_id
  limit :page_size
) o on true
left join lateral (
  select c.client_name from clients c where c.client_id = o.client_id
) c on true
where s.stock_id = :stock_id
order by o.order_create_datetime, o.order_id
