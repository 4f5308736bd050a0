-- outside a transaction
alter table order_items validate constraint order_items_shipped;
