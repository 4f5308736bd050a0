select order_state_id, order_shipped_datetime is not null as partly_shipped from orders
where client_id = :client_id and order_id = :order_id
