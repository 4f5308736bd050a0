select order_state_id from orders
where client_id = :client_id and order_id = :order_id
