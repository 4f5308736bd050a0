-- Why a price cannot be set.
select exists (select 1 from price_lists where price_list_id = :price_list_id) as price_list_there,
  exists (select 1 from items where item_id = :item_id) as item_there, p.price as before,
  coalesce(:price_factor::numeric > 0 and not (:price::numeric <= p.price * :price_factor
    and p.price <= :price * :price_factor) and p.price is distinct from :expected::numeric, false) as unconfirmed
from (values (1)) one
left join prices p on p.price_list_id = :price_list_id and p.item_id = :item_id
