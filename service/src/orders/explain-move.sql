-- Why an order cannot be moved: its state, a hold, and whether a part of it has been shipped.
select o.order_state_id, o.hold_reason, o.order_shipped_datetime is not null as partly_shipped
from orders o
where o.order_id = :order_id
