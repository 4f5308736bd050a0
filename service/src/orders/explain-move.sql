-- Why an order cannot be moved: its state, a hold, and for each line what shipping needs and the stock has.
select o.order_state_id, o.virtual, o.hold_reason, s.stock_id, s.item_id, s.on_hand, i.order_item_quantity as needed,
  exists (
    select 1 from order_items x where x.client_id = o.client_id and x.order_id = o.order_id and x.shipped_quantity > 0
  ) as partly_shipped
from orders o
left join order_items i on i.client_id = o.client_id and i.order_id = o.order_id and not o.virtual
left join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
where o.order_id = :order_id
order by s.item_id
