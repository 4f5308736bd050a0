-- Closes what is not shipped of a partly shipped order: quantities fall to what is shipped, and with them totals, stock
-- and exposure, under the order's own terms. The order becomes shipped.
-- Lock order: order, contract, stock levels by item, client.
create or replace function close_open(
  order_id bigint,
  from_states text[],
  reason text,
  expected bigint,   -- The open pieces that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  open record;   -- What is not shipped, as arrays sorted by item, and the totals without it.
begin
  select * into held from orders o where o.order_id = close_open.order_id for no key update;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(from_states) then refusal('order_move_refused',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id, 'state_id', 'shipped'))
    when held.hold_reason is not null then
      refusal('order_held', json_build_object('order_id', order_id, 'hold_reason', held.hold_reason))
    when held.order_shipped_datetime is null then refusal('nothing_shipped', json_build_object('order_id', order_id))
    end;
  if refused is not null then return; end if;

  select l.*, t.*
  into open
  from (
    select array_agg(i.item_id order by i.item_id) filter (where i.order_item_quantity > i.shipped_quantity) as items,
      array_agg(i.order_item_quantity - i.shipped_quantity order by i.item_id)
        filter (where i.order_item_quantity > i.shipped_quantity) as quantities,
      sum(i.order_item_quantity - i.shipped_quantity) as pieces,
      sum(round(i.order_item_price * i.shipped_quantity, held.minor_digits)) as goods
    from order_items i
    where i.client_id = held.client_id and i.order_id = held.order_id
  ) l
  cross join lateral order_totals(l.goods, held.discount_percent, held.tax_mode, held.tax_percent, held.minor_digits,
    held.order_shipping) t;
  refused := expected_differs('open', expected, open.pieces);
  if refused is not null then return; end if;

  update contracts c set exposure = c.exposure + open.total - held.order_total
  where c.client_id = held.client_id and c.contract_id = held.contract_id;
  perform lock_levels(held.stock_id, open.items);
  perform shift_levels(held.stock_id, open.items, open.quantities, reserved_by => -1, on_hand_by => 0);

  update orders o set order_total = open.total, order_discount = open.discount, order_tax = open.tax,
    order_state_id = 'shipped', order_update_datetime = now(), history_count = o.history_count + 2
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Change of items', held.order_state_id, reason, actor),
    (held.client_id, held.order_id, held.history_count + 2, 'Change of status', 'shipped', '', actor);
  insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
  select i.client_id, i.order_id, held.history_count + 1, i.order_item_id, i.order_item_quantity, i.shipped_quantity
  from order_items i
  where i.client_id = held.client_id and i.order_id = held.order_id and i.order_item_quantity > i.shipped_quantity;
  update order_items i set order_item_quantity = i.shipped_quantity
  where i.client_id = held.client_id and i.order_id = held.order_id and i.order_item_quantity > i.shipped_quantity;

  perform record_events(held.client_id, held.order_id, '{order.items_changed,order.state_changed}',
    array[jsonb_build_object('order_state_id', held.order_state_id, 'history_count', held.history_count + 1),
      '{}'::jsonb], actor, request_id);
end $$;
