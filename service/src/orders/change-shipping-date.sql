-- Reschedules an order to a day on which its stock can ship. Repeating it changes nothing and returns the same result.
with seen as materialized (
  select o.client_id, o.order_id, o.version, o.stock_id
  from orders o
  where o.client_id = :client_id and o.order_id = :order_id
), -- include reschedule.part.sql
)
select -- include order-columns.part.sql
  -- include longer-history.part.sql
  as history
from answered o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
