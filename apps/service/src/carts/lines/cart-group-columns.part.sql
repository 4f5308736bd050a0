-- The columns of a cart (k), the stock (s), the contract (c) and the budget of a group (g).
k.cart_id, k.cart_name, k.virtual, g.advertising, s.stock_id, s.stock_name,
  c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit,
