-- For explaining why a client or contract could not be made or changed: which of the things it refers to are not there.
select :price_list_id::bigint is null or exists (select 1 from price_lists where price_list_id = :price_list_id) as price_list_there,
  array(select id from unnest(:stock_ids::bigint[]) id where not exists (select 1 from stocks s where s.stock_id = id)) as unknown_stocks
