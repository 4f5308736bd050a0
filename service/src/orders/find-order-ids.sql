-- The ids of the orders with these numbers.
select order_id, order_number from orders
where order_number = any(:order_numbers)
