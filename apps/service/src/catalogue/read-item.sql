-- One item as the client can order it. No row without the contract; a row without an item when there is no such item.
select c.contract_id, i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name, i.price,
  r.currency_code, c.tax_mode, c.discount_percent,
  case when :net then net_price(i.price, c.discount_percent, u.minor_digits) end as net_price,
  k.stock_id, k.stock_name, k.available, k.back_order
from contracts c
join price_lists r on r.price_list_id = c.price_list_id
join currencies u on u.currency_code = r.currency_code
left join lateral (
  select i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name, p.price
  from items i
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
  where i.item_id = :item_id and i.on_sale
) i on true
left join lateral (
  select a.stock_id, s.stock_name, greatest(l.on_hand - l.reserved, 0) as available, l.back_order
  from client_stocks a
  join stocks s on s.stock_id = a.stock_id
  join stock_levels l on l.stock_id = a.stock_id and l.item_id = i.item_id
  where a.client_id = c.client_id
) k on true
where c.client_id = :client_id
  and (c.contract_id = :contract_id or (:contract_id is null and c.contract_default))
order by k.stock_id
