-- outside a transaction
-- The newest adjustment of a line, which a request may repeat.
create index concurrently adjustments_of_line on adjustments (client_id, order_id, order_item_id, adjustment_id desc);
