-- Explains why a client or contract could not be created or changed: the price list and stocks it refers to that do not
-- exist.
select :price_list_id::bigint is not null
    and not exists (select 1 from price_lists where price_list_id = :price_list_id) as price_list_missing,
  array(
    select id from unnest(:stock_ids::bigint[]) id
    where not exists (select 1 from stocks s where s.stock_id = id)
  ) as missing_stock_ids
