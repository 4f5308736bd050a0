-- Sets an item's price in a price list. A price far from the present one must be confirmed: :expected is the present.
with seen as materialized (
  select price from prices
  where price_list_id = :price_list_id and item_id = :item_id
), written as (            -- The price seen is still the present one: it is the price that the log keeps.
  insert into prices as p (price_list_id, item_id, price)
  values (:price_list_id, :item_id, :price)
  on conflict (price_list_id, item_id) do update set price = excluded.price
  where p.price <> excluded.price and p.price = (select price from seen)
    and (:price_factor::numeric = 0 or p.price = :expected::numeric
      or excluded.price <= p.price * :price_factor and p.price <= excluded.price * :price_factor)
  returning p.price_list_id, p.item_id, p.price, xmax = 0 as added
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'price', jsonb_build_object('price_list_id', price_list_id, 'item_id', item_id, 'price', price,
    'price_before', (select price from seen)), :actor, :request_id
  from written
)
select added from written
union all
select null from seen where price = :price
