-- One order by its id or by its number.
select -- include operator-order-columns.part.sql
  -- include whole-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines, (
    -- include order-adjustments.part.sql
  ) as adjustments
from (
  select * from orders where order_id = :order_id
  union all
  select * from orders where order_number = :order_number
) o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
