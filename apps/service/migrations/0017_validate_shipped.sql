-- outside a transaction
alter table order_items validate constraint order_items_shipped;
alter table orders validate constraint orders_shipped_states;
