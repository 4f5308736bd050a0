select a.adjustment_id, a.order_id, a.adjustment_date_create, a.adjustment_status, a.adjustment_canceled_message,
  a.difference,
  i.item_id, i.product_id, i.product_name, i.item_title, i.item_vendor_code
from adjustments a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
where a.client_id = :client_id and a.order_id = :order_id and a.adjustment_id = :adjustment_id
