-- Why a price cannot be set.
select exists (select 1 from price_lists where price_list_id = :price_list_id) as price_list_there,
  exists (select 1 from items where item_id = :item_id) as item_there
