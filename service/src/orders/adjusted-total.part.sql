-- The totals of an order (o) with an adjustment (a) carried out, under the order's own terms.
cross join lateral (
  select sum(round(x.order_item_price
    * case when x.order_item_id = a.order_item_id then a.quantity_wanted else x.order_item_quantity end,
    o.minor_digits)) as goods
  from order_items x
  where x.client_id = o.client_id and x.order_id = o.order_id
) g
-- include totals.part.sql
