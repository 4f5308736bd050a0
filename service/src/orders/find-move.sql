-- The history entry of this move of the order, if its statement has been executed.
select h.entry
from orders o
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
where o.order_id = :order_id and h.move_id = :move_id
