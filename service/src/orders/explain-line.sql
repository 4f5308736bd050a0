-- What changing the quantity of a line would do, or why it cannot be changed.
select o.order_id, o.order_number, i.order_item_id, i.item_id, i.item_vendor_code, i.item_title, i.order_item_price,
  i.order_item_quantity as quantity_before, a.quantity_wanted as quantity_after, i.shipped_quantity,
  o.order_state_id as state_before, coalesce(d.ended_as, o.order_state_id) as state_after, o.hold_reason,
  o.order_total as total_before, t.total as total_after, o.order_tax as tax_before, z.tax as tax_after,
  o.order_discount as discount_before, y.discount as discount_after,
  o.stock_id, case when o.virtual or v.back_order then null
    else v.on_hand - v.reserved - a.quantity_wanted + i.order_item_quantity end as available_after,
  o.contract_id, c.contract_limit, c.exposure, e.exposure - o.order_total as total_difference,
  case when c.contract_limit > 0 then c.contract_limit - c.exposure - e.exposure + o.order_total
    end as limit_left_after,
  greatest(t.total, y.discount, c.exposure + e.exposure - o.order_total) > :total_max as too_large,
  w.adjustment_id as closed_adjustment_id
from orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = :order_item_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
left join stock_levels v on v.stock_id = o.stock_id and v.item_id = i.item_id
left join adjustments w on w.client_id = i.client_id and w.order_id = i.order_id and w.order_item_id = i.order_item_id
  and w.adjustment_status = 'WAIT'
-- include changed-line.part.sql
where o.order_id = :order_id and i.order_item_quantity > 0
