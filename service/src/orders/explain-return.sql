-- Why goods cannot be returned: how much of each line of the order can be.
select i.order_item_id,
  -- include returnable-lines.part.sql
from orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
where o.order_id = :order_id
order by i.order_item_id
