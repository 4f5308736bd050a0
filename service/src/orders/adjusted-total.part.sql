-- The totals of the order (o) with the adjustment (a), under the order's own terms: goods (g), discount (y), tax (z), total (t).
cross join lateral (
  select sum(round(x.order_item_price * case when x.order_item_id = a.order_item_id then a.quantity_wanted else x.order_item_quantity end,
    o.minor_digits)) as goods
  from order_items x
  where x.client_id = o.client_id and x.order_id = o.order_id
) g
cross join lateral (select round(g.goods * o.discount_percent / 100, o.minor_digits) as discount) y
cross join lateral (
  select round((g.goods - y.discount) * o.tax_percent / case o.tax_mode when 'added' then 100 else 100 + o.tax_percent end,
    o.minor_digits) as tax
) z
cross join lateral (select g.goods - y.discount + o.order_shipping + case o.tax_mode when 'added' then z.tax else 0 end as total) t
