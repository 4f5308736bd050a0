select -- include order-columns.part.sql
  h.date, h."group", h.state_id, h.text
from orders o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
where o.client_id = :client_id and o.order_id = :order_id
order by h.entry desc
