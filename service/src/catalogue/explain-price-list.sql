select exists (select 1 from currencies where currency_code = :currency_code) as currency_there,
  (select currency_code from price_lists where price_list_id = :price_list_id) as currency_code
