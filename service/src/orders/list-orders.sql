-- A page of orders as the API specification shows them; list-full-orders.sql adds the details.
with -- include orders-page.part.sql
)
select -- include order-columns.part.sql
  h.date, h."group", h.state_id, h.text
from page p
join orders o on o.client_id = :client_id and o.order_id = p.order_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
order by o.order_create_datetime desc, o.order_id desc, h.entry desc
