-- The lines of any client's order; none if all of them were dropped.
select o.lines from shown_orders o
where o.order_id = :order_id
