-- Every third contract has a limit, well above its exposure.
update contracts c
set exposure = o.open, contract_limit = case c.contract_id % 3 when 0 then 10000000 + o.open * 4 else 0 end
from (
  select client_id, contract_id, sum(order_total) as open
  from orders
  where order_state_id not in ('canceled', 'completed')
  group by client_id, contract_id
) o
where c.client_id = o.client_id and c.contract_id = o.contract_id
