-- An order with its details, in one row.
select -- include full-order-columns.part.sql
from orders o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
where o.client_id = :client_id and o.order_id = :order_id
