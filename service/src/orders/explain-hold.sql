-- Why an order cannot be put on hold: its state.
select order_state_id from orders
where order_id = :order_id
