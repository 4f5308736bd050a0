-- One order by its id or by its number.
select o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_update_datetime, o.order_state_id,
  o.order_total, o.order_rate, o.order_tax, o.order_shipping, o.order_discount, o.order_shipping_date, o.order_archive_datetime,
  o.order_advertising, o.virtual, s.stock_id, s.stock_name,
  c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit, o.client_id, k.client_name,
  h.date, h."group", h.state_id, h.text
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
