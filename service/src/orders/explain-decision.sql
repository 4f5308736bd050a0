-- Why an adjustment cannot be decided: its status, and what accepting it needs.
select a.adjustment_status, a.adjustment_canceled_message, a.quantity_wanted - i.order_item_quantity as difference,
  i.order_item_quantity as quantity, o.stock_id, i.item_id, o.virtual or coalesce(l.back_order, false) as unlimited,
  greatest(coalesce(l.on_hand - l.reserved, 0), 0) as available,
  c.contract_id, c.contract_limit, c.exposure, e.exposure - o.order_total as total_difference,
  c.contract_limit > 0 and e.exposure > o.order_total
    and c.exposure + e.exposure - o.order_total > c.contract_limit as over_limit,
  greatest(t.total, y.discount, c.exposure + e.exposure - o.order_total) > :total_max as too_large
from adjustments a
join orders o on o.client_id = a.client_id and o.order_id = a.order_id
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
left join stock_levels l on l.stock_id = o.stock_id and l.item_id = i.item_id
-- include adjusted-total.part.sql
where a.adjustment_id = :adjustment_id
