select stock_id, stock_name, lead_days, closed_weekdays::bigint[] as closed_weekdays from stocks
where stock_id > :after_id
order by stock_id
limit :page_size
