-- A page of orders as the contract shows them; list-full-orders.sql adds the details.
with -- include orders-page.part.sql
)
select -- include order-columns.part.sql
  -- include whole-history.part.sql
  as history
from page p
join orders o on o.client_id = :client_id and o.order_id = p.order_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
order by o.order_create_datetime desc, o.order_id desc
