-- What an order has reserved, or would if it were not virtual, as arrays sorted by item.
create or replace function goods_of_order(client bigint, in_order bigint, out items bigint[], out quantities integer[])
  language plpgsql as $$
begin
  select array_agg(i.item_id order by i.item_id),
    array_agg(i.order_item_quantity - i.shipped_quantity order by i.item_id)
  into items, quantities
  from order_items i
  where i.client_id = client and i.order_id = in_order and i.order_item_quantity > 0;
end $$;

-- Locks stock levels, by item.
create or replace function lock_levels(stock bigint, items bigint[]) returns void language plpgsql as $$
begin
  perform from stock_levels v where v.stock_id = stock and v.item_id = any(items)
  order by v.item_id for no key update;
end $$;

-- Changes the reserved goods and those in stock, by these multiples of the quantities. If there are several levels, the
-- caller has locked them.
create or replace function shift_levels(
  stock bigint, items bigint[], quantities integer[], reserved_by integer, on_hand_by integer
) returns void language plpgsql as $$
begin
  update stock_levels v set reserved = v.reserved + l.quantity * reserved_by,
    on_hand = v.on_hand + l.quantity * on_hand_by
  from unnest(items, quantities) l (item_id, quantity)
  where v.stock_id = stock and v.item_id = l.item_id;
end $$;

-- Closes the open adjustments of an order that can no longer be adjusted, and returns what their events say of them.
create or replace function close_adjustments(held orders, message text, actor text) returns jsonb[]
  language plpgsql as $$
declare
  closed jsonb[];
begin
  with changed as (
    update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = close_adjustments.actor,
      adjustment_canceled_message = message
    where a.client_id = held.client_id and a.order_id = held.order_id and a.adjustment_status = 'WAIT'
    returning a.*
  )
  select coalesce(array_agg(adjustment_snapshot(a) order by a.adjustment_id), '{}') into closed from changed a;
  return closed;
end $$;

-- What an event stores of an adjustment: its id and the fields that may change later (adjustment.ts).
create or replace function adjustment_snapshot(a adjustments) returns jsonb stable language sql as $$
  select jsonb_build_object('adjustment_id', a.adjustment_id, 'adjustment_status', a.adjustment_status,
    'adjustment_canceled_message', a.adjustment_canceled_message, 'difference', a.difference)
$$;
