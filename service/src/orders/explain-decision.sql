-- For explaining a decision that was refused: what became of the wish, and what accepting it would need.
select a.adjustment_status, a.adjustment_canceled_message, a.quantity_wanted - i.order_item_quantity as difference,
  o.stock_id, i.item_id, o.virtual or coalesce(l.back_order, false) as unlimited, coalesce(l.on_hand - l.reserved, 0) as available,
  c.contract_id, c.contract_limit, c.exposure, t.total - o.order_total as total_difference,
  c.contract_limit > 0 and c.exposure + t.total - o.order_total > c.contract_limit as over_limit,
  greatest(t.total, y.discount, c.exposure + t.total - o.order_total) > :total_max as too_large
from adjustments a
join orders o on o.client_id = a.client_id and o.order_id = a.order_id
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
left join stock_levels l on l.stock_id = o.stock_id and l.item_id = i.item_id
cross join lateral (
  select sum(round(l.order_item_price * case when l.order_item_id = a.order_item_id then a.quantity_wanted else l.order_item_quantity end,
    o.minor_digits)) as goods
  from order_items l
  where l.client_id = o.client_id and l.order_id = o.order_id
) x
cross join lateral (select round(x.goods * o.discount_percent / 100, o.minor_digits) as discount) y
cross join lateral (
  select round((x.goods - y.discount) * o.tax_percent / case o.tax_mode when 'added' then 100 else 100 + o.tax_percent end,
    o.minor_digits) as tax
) z
cross join lateral (select x.goods - y.discount + o.order_shipping + case o.tax_mode when 'added' then z.tax else 0 end as total) t
where a.adjustment_id = :adjustment_id
