-- outside a transaction
alter table stock_levels validate constraint stock_levels_shortage;
alter table stock_levels validate constraint out_of_stock;
