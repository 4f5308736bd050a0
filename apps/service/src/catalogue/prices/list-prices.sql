-- A page of the prices of a list, in item order. A list without prices is one row with nulls; no such list, no row.
select p.item_id, i.item_vendor_code, i.item_title, i.on_sale, p.price,
  shown_breaks(p.break_quantities, p.break_prices) as price_breaks
from price_lists r
left join lateral (
  select p.item_id, p.price, p.break_quantities, p.break_prices from prices p
  where p.price_list_id = r.price_list_id and p.item_id > :after_id
  order by p.item_id
  limit :page_size
) p on true
left join lateral (
  select i.item_vendor_code, i.item_title, i.on_sale from items i where i.item_id = p.item_id
) i on true
where r.price_list_id = :price_list_id
order by p.item_id
