-- The totals of an order (o) with an adjustment (a) carried out, under the order's own terms. An order that it empties
-- is cancelled, and then counts nothing against the limit (e).
cross join lateral (
  select sum(round(l.order_item_price * l.quantity, o.minor_digits)) as goods, sum(l.quantity) = 0 as emptied
  from (
    select x.order_item_price,
      case when x.order_item_id = a.order_item_id then a.quantity_wanted else x.order_item_quantity end as quantity
    from order_items x
    where x.client_id = o.client_id and x.order_id = o.order_id
  ) l
) g
-- include totals.part.sql
cross join lateral (select case when g.emptied then 0 else t.total end as exposure) e
