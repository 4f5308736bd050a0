-- outside a transaction
alter table contracts validate constraint contract_limit_exceeded;
alter table stock_levels validate constraint out_of_stock;
alter table carts validate constraint cart_is_full;
