-- A cart (k) with its groups (g), or alone if it is empty; the stock (s), the contract (c) and its currency (u).
from carts k
left join cart_groups g on g.client_id = k.client_id and g.cart_id = k.cart_id
left join stocks s on s.stock_id = g.stock_id
left join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
left join price_lists r on r.price_list_id = c.price_list_id
left join currencies u on u.currency_code = r.currency_code
