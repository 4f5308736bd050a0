-- Why a cancellation cannot be undone: the order, and for each line what is needed and the stock has.
select o.order_state_id, o.order_archive_datetime is not null as archived, o.stock_id, i.item_id,
  i.order_item_quantity as requested, greatest(coalesce(s.on_hand - s.reserved, 0), 0) as available,
  not o.virtual and i.order_item_quantity > 0
    and (s.item_id is null or (not s.back_order and i.order_item_quantity > s.on_hand - s.reserved)) as lacking,
  c.contract_id, c.contract_limit, c.exposure, o.order_total,
  c.contract_limit > 0 and c.exposure + o.order_total > c.contract_limit as over_limit,
  u.cancelled_at, u.in_time, u.has_lines
from orders o
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
left join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
cross join lateral (
  select -- include cancelled-order.part.sql
  where o.order_id = :order_id
) u
where o.order_id = :order_id
order by i.item_id
