-- Why a stock level cannot be set.
select exists (select 1 from stocks where stock_id = :stock_id) as stock_there,
  exists (select 1 from items where item_id = :item_id) as item_there,
  (select reserved from stock_levels where stock_id = :stock_id and item_id = :item_id) as reserved,
  (select back_order from stock_levels where stock_id = :stock_id and item_id = :item_id) as back_order
