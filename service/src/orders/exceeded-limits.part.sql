-- Whether an order with a total (t) and a discount (y) would exceed the limit of its contract (o), or any amount.
o.contract_limit > 0 and o.exposure + t.total > o.contract_limit as over_limit,
  greatest(o.exposure + t.total, y.discount) > :total_max as too_large
