-- One item as the client can order it. No row without the contract; a row without an item when there is no such item.
select c.contract_id, i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name, i.price,
  r.currency_code, c.tax_mode, c.discount_percent,
  case when :net then net_price(i.price, c.discount_percent, u.minor_digits) end as net_price,
  coalesce(i.quantity_min, 1) as quantity_min, coalesce(i.quantity_multiple, 1) as quantity_multiple,
  case when :breaks then
    net_breaks(i.break_quantities, i.break_prices, c.discount_percent, u.minor_digits) end as price_breaks,
  k.stock_id, k.stock_name, k.available, k.back_order,
  case when :promised::bigint is not null and k.stock_id is not null
    then stock_promise(k.stock_id, i.item_id, :promised, null) end as promise,
  q.offered_substitutes
from contracts c
join price_lists r on r.price_list_id = c.price_list_id
join currencies u on u.currency_code = r.currency_code
left join lateral (
  select i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name, i.quantity_min,
    i.quantity_multiple, p.price, p.break_quantities, p.break_prices
  from items i
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
  where i.item_id = :item_id and i.on_sale
) i on true
left join lateral (
  select offered_substitutes(c.client_id, c.price_list_id, i.item_id) as offered_substitutes
  where :substitutes and i.item_id is not null
  offset 0 -- lookup fence
) q on true
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
