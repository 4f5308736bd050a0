-- Why what is open of an order cannot be closed.
select o.order_state_id, o.hold_reason, o.order_shipped_datetime is not null as partly_shipped
from orders o
where o.order_id = :order_id
