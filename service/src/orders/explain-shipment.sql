-- Why an order cannot be shipped: its state, and for each line what is open and what the stock has.
select o.order_state_id, o.virtual, o.hold_reason, o.stock_id, i.order_item_id, i.item_id,
  i.order_item_quantity - i.shipped_quantity as open, coalesce(l.on_hand, 0) as on_hand
from orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
left join stock_levels l on l.stock_id = o.stock_id and l.item_id = i.item_id
where o.order_id = :order_id
order by i.item_id
