-- Moves an order to another state, with the effects on stock, contract and open adjustments. ship_order.sql ships it.
-- Lock order: order, contract, stock levels by item, client.
create or replace function move_order(
  order_id bigint,
  to_state text,         -- Null means back to the state before the request.
  from_states text[],
  deciding boolean,      -- Whether a request for cancellation is decided.
  unchanged_state text,  -- An order in this state stays unchanged.
  adjustable text[],
  expected numeric,      -- The total that the operator was shown; null if that is not said.
  remark text,
  move_id uuid,
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  new_state text;
  goods record;
  closed jsonb[] := array[]::jsonb[];
begin
  select * into held from orders o where o.order_id = move_order.order_id for no key update;
  if held.order_state_id = unchanged_state then return; end if;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(from_states) and deciding then refusal('cancellation_not_requested',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id))
    when held.order_state_id <> all(from_states) then refusal('order_move_refused',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id, 'state_id', to_state))
    when held.hold_reason is not null and not deciding then
      refusal('order_held', json_build_object('order_id', order_id, 'hold_reason', held.hold_reason))
    when held.order_shipped_datetime is not null and to_state = any('{new,processing,canceled}') then
      refusal('order_partly_shipped', json_build_object('order_id', order_id))
    else expected_differs('order_total', expected, held.order_total) end;
  if refused is not null then return; end if;

  new_state := coalesce(to_state, held.state_before_request);
  if new_state = any('{canceled,completed}') then -- It no longer counts against the contract's limit.
    update contracts c set exposure = c.exposure - held.order_total
    where c.client_id = held.client_id and c.contract_id = held.contract_id;
  end if;
  if new_state = 'canceled' and not held.virtual then
    select * into goods from goods_of_order(held.client_id, held.order_id);
    perform lock_levels(held.stock_id, goods.items);
    perform shift_levels(held.stock_id, goods.items, goods.quantities, reserved_by => -1, on_hand_by => 0);
  end if;

  update orders o set order_state_id = new_state, state_before_request = null,
    hold_reason = case when to_state is null then o.hold_reason end, -- An accepted cancellation ends the hold.
    order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, move_id, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Change of status', new_state, remark, move_id,
    actor);
  if new_state <> all(adjustable) then
    closed := close_adjustments(held, 'The order has moved on to the state ' || new_state || '.', actor);
  end if;
  perform record_events(held.client_id, held.order_id,
    'order.state_changed'::text || array_fill('adjustment.decided'::text, array[cardinality(closed)]),
    '{}'::jsonb || closed, actor, request_id);
end $$;
