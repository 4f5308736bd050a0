-- Sets a stock level. The level's own constraints refuse one below what orders have reserved: a count records that.
with seen as materialized (
  select stock_id, item_id, on_hand from stock_levels
  where stock_id = :stock_id and item_id = :item_id
), changed as (            -- The figure seen is still the present one: it is the figure that the log keeps.
  update stock_levels s set on_hand = :on_hand, back_order = coalesce(:back_order, s.back_order), counts = s.counts + 1,
    -- As lower_shortage() does, but in time for the response.
    shortage = case when coalesce(:back_order, s.back_order) then 0
      else greatest(least(s.shortage, s.reserved - :on_hand), 0) end
  from seen v
  where s.stock_id = v.stock_id and s.item_id = v.item_id and s.on_hand = v.on_hand
  returning s.stock_id, s.item_id, s.on_hand, s.reserved, s.back_order, s.shortage
), made as (
  -- Of two concurrent inserts stock_levels_pkey refuses the second, whose retry finds the row.
  insert into stock_levels (stock_id, item_id, on_hand, back_order, counts)
  select :stock_id, :item_id, :on_hand, coalesce(:back_order, false), 1
  where not exists (select 1 from seen)
  returning stock_id, item_id, on_hand, reserved, back_order, shortage
), level as (
  select stock_id, item_id, on_hand, reserved, back_order, shortage from changed
  union all
  select stock_id, item_id, on_hand, reserved, back_order, shortage from made
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'stock-level', jsonb_build_object('stock_id', stock_id, 'item_id', item_id, 'on_hand', on_hand, 'back_order',
    back_order, 'on_hand_before', coalesce((select on_hand from seen), 0)), :actor, :request_id
  from level
)
select l.stock_id, k.stock_name, l.item_id, i.item_vendor_code, i.item_title, l.on_hand, l.reserved, l.back_order,
  l.shortage
from level l
join stocks k on k.stock_id = l.stock_id
join items i on i.item_id = l.item_id
