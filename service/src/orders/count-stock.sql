-- Sets a counted stock level, even below what orders have reserved: the rest is recorded as a shortage. Returns a row
-- for each order that can no longer be served, oldest first: orders are served in the order of their creation.
with seen as materialized (
  select stock_id, item_id, on_hand, reserved from stock_levels
  where stock_id = :stock_id and item_id = :item_id
), changed as (            -- Unchanged figures prove that the lines read below are those that hold the goods.
  update stock_levels s set on_hand = :on_hand, counts = s.counts + 1,
    shortage = case when s.back_order then 0 else greatest(s.reserved - :on_hand, 0) end
  from seen v
  where s.stock_id = v.stock_id and s.item_id = v.item_id and s.on_hand = v.on_hand and s.reserved = v.reserved
  returning s.stock_id, s.item_id, s.on_hand, s.reserved, s.back_order, s.shortage, v.on_hand as on_hand_before
), made as (
  -- Of two concurrent inserts stock_levels_pkey refuses the second, whose retry finds the row.
  insert into stock_levels (stock_id, item_id, on_hand, counts)
  select :stock_id, :item_id, :on_hand, 1
  where not exists (select 1 from seen)
  returning stock_id, item_id, on_hand, reserved, back_order, shortage, 0::bigint as on_hand_before
), level as (
  select stock_id, item_id, on_hand, reserved, back_order, shortage, on_hand_before from changed
  union all
  select stock_id, item_id, on_hand, reserved, back_order, shortage, on_hand_before from made
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'stock-level', jsonb_build_object('stock_id', stock_id, 'item_id', item_id, 'on_hand', on_hand,
    'on_hand_before', on_hand_before, 'shortage', shortage, 'reason', :reason::text), :actor, :request_id
  from level
), lines as (              -- The newest lines of the article. Only what is reserved here counts.
  select o.order_id, o.order_number, o.client_id, o.order_state_id, o.order_create_datetime, i.order_item_id,
    i.order_item_quantity - i.shipped_quantity as open
  from (
    select i.client_id, i.order_id, i.order_item_id, i.item_id, i.order_item_quantity, i.shipped_quantity
    from order_items i
    where lower(i.item_vendor_code) = lower((select item_vendor_code from items where item_id = :item_id))
      and (select reserved > on_hand from level)
    order by i.order_create_datetime desc, i.order_id desc
    limit :lines_max
  ) i
  cross join lateral (
    select * from orders o where o.client_id = i.client_id and o.order_id = i.order_id offset 0 -- lookup fence
  ) o
  where i.item_id = :item_id and i.order_item_quantity > i.shipped_quantity
    and o.stock_id = :stock_id and not o.virtual and o.order_state_id = any(:holding)
), summed as (
  select l.*, sum(l.open) over (order by l.order_create_datetime desc, l.order_id desc, l.order_item_id desc) - l.open
    as newer
  from lines l
), affected as (
  select s.order_id, s.order_number, s.client_id, s.order_state_id, s.order_create_datetime, s.order_item_id, s.open,
    least(s.open, v.reserved - v.on_hand - s.newer)::integer as short
  from summed s
  cross join level v
  where s.newer < v.reserved - v.on_hand
), shown as materialized (
  select v.stock_id, k.stock_name, v.item_id, i.item_vendor_code, i.item_title, v.on_hand, v.reserved, v.back_order,
    v.shortage, v.on_hand_before, a.order_id, a.order_number, a.client_id, c.client_name, a.order_state_id,
    a.order_create_datetime, a.order_item_id, a.open, a.short
  from level v
  join stocks k on k.stock_id = v.stock_id
  join items i on i.item_id = v.item_id
  left join affected a on true
  left join lateral (select client_name from clients where client_id = a.client_id offset 0) c on true -- lookup fence
), remembered as (         -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'count-stock', :idempotency_key, :request_digest, json_build_object('rows', (
    select json_agg(s order by s.order_create_datetime, s.order_id, s.order_item_id) from shown s))
  from level
  where :idempotency_key::text is not null
)
select stock_id, stock_name, item_id, item_vendor_code, item_title, on_hand, reserved, back_order, shortage,
  on_hand_before, order_id, order_number, client_id, client_name, order_state_id, order_create_datetime, order_item_id,
  open, short
from shown
order by order_create_datetime, order_id, order_item_id
