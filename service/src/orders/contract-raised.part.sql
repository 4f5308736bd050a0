-- The contract (c) after its exposure rose by x.rise. limit_low is 1 if that reached nine tenths of the limit, else 0.
c.client_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit, c.exposure,
  (c.contract_limit > 0 and c.exposure >= 0.9 * c.contract_limit
    and c.exposure - x.rise < 0.9 * c.contract_limit)::integer as limit_low
