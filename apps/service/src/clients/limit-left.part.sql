-- What is left of the limit of a contract (c); null if it has none.
case when c.contract_limit > 0 then greatest(c.contract_limit - c.exposure, 0) end as limit_left
