-- A page of orders as the contract shows them; list-full-orders.sql adds the details.
with -- include orders-page.part.sql
)
select -- columns o
from page p
join client_orders o on o.client_id = :client_id and o.order_id = p.order_id
order by o.order_create_datetime desc, o.order_id desc
