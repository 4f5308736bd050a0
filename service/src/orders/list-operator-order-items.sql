-- The lines of any client's order; none if all of them were dropped.
select (
  -- include order-lines.part.sql
) as lines
from orders o
where o.order_id = :order_id
