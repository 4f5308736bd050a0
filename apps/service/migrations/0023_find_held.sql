-- outside a transaction
-- Work lists for the order desk. A new order pays for neither of them: it is not held, and placing it changes no column
-- of the second one, so that stock levels are still updated in place.
create index concurrently orders_held on orders (order_create_datetime desc, order_id desc)
  where hold_reason is not null;
-- Only a level with back-orders or a shortage can have more reserved than on hand.
create index concurrently stock_levels_short on stock_levels (item_id, stock_id)
  where back_order or shortage > 0;
