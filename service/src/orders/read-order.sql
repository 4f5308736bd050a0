select -- include order-columns.part.sql
  -- include whole-history.part.sql
  as history
from orders o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
where o.client_id = :client_id and o.order_id = :order_id
