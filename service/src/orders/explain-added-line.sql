-- What adding a line to an order would do, or why it cannot be added.
select o.order_id, o.order_number, g.present_id as order_item_id, w.matches, w.item_id, i.item_vendor_code,
  i.item_title, i.on_sale, p.price as order_item_price, 0 as quantity_before, :quantity::integer as quantity_after,
  o.order_state_id as state_before, o.order_state_id as state_after, o.currency_code,
  r.currency_code as contract_currency_code, g.line_count,
  o.order_total as total_before, t.total as total_after, o.order_tax as tax_before, z.tax as tax_after,
  o.order_discount as discount_before, y.discount as discount_after,
  o.stock_id, case when o.virtual or v.back_order then null
    else coalesce(v.on_hand - v.reserved, 0) - :quantity end as available_after,
  o.contract_id, c.contract_limit, c.exposure, t.total - o.order_total as total_difference,
  case when c.contract_limit > 0 then c.contract_limit - c.exposure - t.total + o.order_total
    end as limit_left_after,
  coalesce(greatest(t.total, y.discount, c.exposure + t.total - o.order_total) > :total_max, false) as too_large
from orders o
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join price_lists r on r.price_list_id = c.price_list_id
-- include wanted-item.part.sql
left join items i on i.item_id = w.item_id
left join prices p on p.price_list_id = c.price_list_id and p.item_id = w.item_id
left join stock_levels v on v.stock_id = o.stock_id and v.item_id = w.item_id
-- include order-with-line.part.sql
where o.order_id = :order_id
