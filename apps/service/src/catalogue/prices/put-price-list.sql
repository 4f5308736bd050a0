-- The currency stays: the prices in the list are in that currency.
with before as (
  select price_list_id, price_list_name, currency_code from price_lists where price_list_id = :price_list_id
), put as (
  insert into price_lists as r (price_list_id, price_list_name, currency_code)
  values (:price_list_id, :price_list_name, :currency_code)
  on conflict (price_list_id) do update set price_list_name = excluded.price_list_name
    where r.currency_code = excluded.currency_code
  returning r.price_list_id, r.price_list_name, r.currency_code
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'price-list', to_jsonb(put) || jsonb_build_object('before', (select to_jsonb(before) from before)),
    :actor, :request_id
  from put
)
select price_list_id, price_list_name, currency_code from put
