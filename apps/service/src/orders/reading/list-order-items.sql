-- The lines of an order; none if all of them were dropped.
select order_item_id, order_item_quantity, order_item_price, item_id, item_vendor_code, item_barcode, item_title,
  brand_id, brand_name
from order_items
where client_id = :client_id and order_id = :order_id and order_item_quantity > 0
order by order_item_id
