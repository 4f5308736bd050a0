-- Why a line cannot be adjusted. Quantity is null if there is no such line; no row if there is no such order.
select o.order_state_id, i.order_item_quantity
from orders o
left join order_items i
  on i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = :order_item_id
  and i.order_item_quantity > 0 -- Others were removed from the order.
where o.client_id = :client_id and o.order_id = :order_id
