select price_list_id, price_list_name, currency_code from price_lists
where price_list_id > :after_id
order by price_list_id
limit :page_size
