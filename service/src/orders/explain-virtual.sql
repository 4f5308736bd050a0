-- Why the goods of a virtual order cannot be reserved: its state, and what the stock has for each line.
select o.order_state_id, o.virtual, o.stock_id, i.item_id, i.order_item_quantity as requested,
  greatest(coalesce(s.on_hand - s.reserved, 0), 0) as available,
  i.order_item_quantity > 0
    and (s.item_id is null or (not s.back_order and i.order_item_quantity > s.on_hand - s.reserved)) as lacking
from orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
left join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
where o.order_id = :order_id
order by i.item_id
