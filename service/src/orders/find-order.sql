select o.order_id from orders o
where o.client_id = :client_id and o.order_id = :order_id
