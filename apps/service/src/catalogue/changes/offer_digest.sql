-- Names the terms under which a client sees the catalogue. With other ones, a copy of it has to be read again.
create or replace function offer_digest(contract contracts, included text) returns text stable language sql as $$
  select left(md5(row(contract.contract_id, r.price_list_id, r.currency_code, u.minor_digits, contract.tax_mode,
    contract.discount_percent, included, array(
      select row(s.stock_id, s.stock_name) from client_stocks a
      join stocks s on s.stock_id = a.stock_id
      where a.client_id = contract.client_id
      order by s.stock_id))::text), 12)
  from price_lists r
  join currencies u on u.currency_code = r.currency_code
  where r.price_list_id = contract.price_list_id
$$;
