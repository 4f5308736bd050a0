-- The order (o) with a line (i) at the quantity a.quantity_wanted: its totals, and the state that this ends it in (d).
-- An order without lines is cancelled. One of which nothing is left to ship is shipped.
cross join lateral (select i.order_item_id, :quantity::integer as quantity_wanted) a
-- include adjusted-total.part.sql
cross join lateral (
  select case when g.emptied then 'canceled' when not exists (
    select 1 from order_items x
    where x.client_id = o.client_id and x.order_id = o.order_id
      and case when x.order_item_id = a.order_item_id then a.quantity_wanted else x.order_item_quantity end
        > x.shipped_quantity
  ) then 'shipped' end as ended_as
) d
