-- One order by its id or by its number.
select -- include order-columns.part.sql
  o.client_id, k.client_name, h.date, h."group", h.state_id, h.text
from (
  select * from orders where order_id = :order_id
  union all
  select * from orders where order_number = :order_number
) o
join clients k on k.client_id = o.client_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
order by h.entry desc
