update carts set cart_name = :cart_name
where client_id = :client_id and cart_id = :cart_id
returning cart_id, cart_name, virtual
