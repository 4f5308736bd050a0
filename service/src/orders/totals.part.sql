-- The totals of an order (o), by the sum of its lines (g.goods) and its terms: discount (y), tax (z) and total (t).
cross join lateral (select round(g.goods * o.discount_percent / 100, o.minor_digits) as discount) y
cross join lateral (
  select round((g.goods - y.discount) * o.tax_percent
    / case o.tax_mode when 'added' then 100 else 100 + o.tax_percent end, o.minor_digits) as tax
) z
cross join lateral (
  select g.goods - y.discount + o.order_shipping + case o.tax_mode when 'added' then z.tax else 0 end as total
) t
