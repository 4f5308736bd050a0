select cart_id, cart_name, virtual
from carts
where client_id = :client_id and cart_id = :cart_id
