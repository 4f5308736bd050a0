-- The totals of an order (o) with :quantity of one more item (w) at a price (p), under the order's own terms; how many
-- lines it has (g.line_count), and its line of the same item (g.present_id).
cross join lateral (
  select sum(round(x.order_item_price * x.order_item_quantity, o.minor_digits))
      + round(p.price * :quantity::integer, o.minor_digits) as goods,
    count(*) as line_count,
    min(x.order_item_id) filter (where x.item_id = w.item_id and x.order_item_quantity > 0) as present_id
  from order_items x
  where x.client_id = o.client_id and x.order_id = o.order_id
) g
-- include totals.part.sql
