-- The lines of any client's order; an order always has at least one.
select i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code, i.item_barcode,
  i.item_title, i.brand_id, i.brand_name
from orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
where o.order_id = :order_id
order by i.order_item_id
