-- Items with all fields that an order line copies, and prices by price list: one look-up per line instead of four.
create unlogged table bench_load.offers as
select i.item_id, i.product_id, d.product_name, i.brand_id, b.brand_name, i.item_vendor_code, i.item_barcode,
  i.item_title, i.on_sale, p.prices
from items i
join products d on d.product_id = i.product_id
join brands b on b.brand_id = i.brand_id
join (
  select item_id, array_agg(price order by price_list_id) as prices from prices group by item_id
) p on p.item_id = i.item_id
