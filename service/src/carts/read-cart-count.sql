select cart_count from clients where client_id = :client_id
