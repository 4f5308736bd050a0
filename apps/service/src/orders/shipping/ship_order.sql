-- Ships the requested quantities of an order, or everything that is open. The last piece makes the order shipped.
-- Lock order: key of the request, order, stock levels by item, client.
create or replace function ship_order(
  order_id bigint,
  from_states text[],
  order_item_ids bigint[], -- Null means everything that is open.
  quantities bigint[],
  expected bigint,         -- The open pieces of the order that the operator was shown; null if that is not said.
  carrier text,
  tracking text,
  unchanged_state text,    -- An order in this state stays unchanged.
  remark text,
  move_id uuid,
  actor text,
  request_id text,
  idempotency_key text,
  request_digest bytea,
  out refused json
) language plpgsql as $$
declare
  held orders;
  earlier json;
  load record;   -- What is shipped now, as arrays sorted by item.
  new_state text;
  shipment bigint;
begin
  select * into earlier, refused from operator_retry(actor, 'ship-order', idempotency_key, request_digest);
  if earlier is not null or refused is not null then return; end if;

  select * into held from orders o where o.order_id = ship_order.order_id for no key update;
  if held.order_state_id = unchanged_state then return; end if;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(from_states) then refusal('order_move_refused',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id, 'state_id', 'shipped'))
    when held.hold_reason is not null then
      refusal('order_held', json_build_object('order_id', order_id, 'hold_reason', held.hold_reason))
    when held.virtual then refusal('order_is_virtual', json_build_object('order_id', order_id))
    else lines_not_open(held.client_id, held.order_id, order_item_ids, quantities)
    end;
  if refused is not null then return; end if;

  select array_agg(l.order_item_id) filter (where l.quantity > 0) as lines,
    array_agg(l.item_id) filter (where l.quantity > 0) as items,
    array_agg(l.quantity) filter (where l.quantity > 0) as quantities, sum(l.open) as open,
    sum(l.quantity) = sum(l.open) as complete
  into load
  from (
    select i.order_item_id, i.item_id, i.order_item_quantity - i.shipped_quantity as open,
      case when order_item_ids is null then i.order_item_quantity - i.shipped_quantity
        else coalesce(w.quantity, 0)::integer end as quantity
    from order_items i
    left join unnest(order_item_ids, ship_order.quantities) w (order_item_id, quantity)
      on w.order_item_id = i.order_item_id
    where i.client_id = held.client_id and i.order_id = held.order_id
    order by i.item_id
  ) l;

  refused := expected_differs('open', expected, load.open);
  if refused is not null then return; end if;
  perform lock_levels(held.stock_id, load.items);
  refused := goods_missing(held.stock_id, load.items, load.quantities);
  if refused is not null then return; end if;
  perform shift_levels(held.stock_id, load.items, load.quantities, reserved_by => -1, on_hand_by => -1);

  new_state := case when load.complete then 'shipped' else held.order_state_id end;
  update orders o set order_state_id = new_state,
    -- A shipment that began later may have been committed before this one.
    order_shipped_datetime = case when load.lines is null then o.order_shipped_datetime
      else greatest(now(), o.order_shipped_datetime) end,
    order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, move_id, actor)
  values (held.client_id, held.order_id, held.history_count + 1,
    case when load.complete then 'Change of status' else 'Shipment' end, new_state, remark, move_id, actor);

  if load.lines is not null then -- Else everything was shipped before, or closed.
    insert into shipments as p (client_id, order_id, entry, carrier, tracking, shipped_by)
    values (held.client_id, held.order_id, held.history_count + 1, carrier, tracking, actor)
    returning p.shipment_id into shipment;
    insert into shipment_lines (client_id, order_id, shipment_id, order_item_id, quantity)
    select held.client_id, held.order_id, shipment, l.order_item_id, l.quantity
    from unnest(load.lines, load.quantities) l (order_item_id, quantity);
    update order_items i set shipped_quantity = i.shipped_quantity + l.quantity
    from unnest(load.lines, load.quantities) l (order_item_id, quantity)
    where i.client_id = held.client_id and i.order_id = held.order_id and i.order_item_id = l.order_item_id;
  end if;

  perform record_events(held.client_id, held.order_id,
    array_remove(array[case when load.lines is not null then 'order.shipped' end,
      case when load.complete then 'order.state_changed' end], null),
    array_remove(array[case when load.lines is not null then jsonb_build_object('shipment_id', shipment) end,
      case when load.complete then '{}'::jsonb end], null), actor, request_id);
  perform keep_operator_answer(actor, 'ship-order', idempotency_key, request_digest,
    json_build_object('order_id', order_id));
end $$;

-- The refusal of requested lines that the order does not have, or of which less is open; null if there is none.
create or replace function lines_not_open(
  client bigint, in_order bigint, order_item_ids bigint[], quantities bigint[]
) returns json language plpgsql as $$
begin
  return (
    select json_agg(case when i.order_item_id is null
      then refusal_error('order_item_not_found',
        json_build_object('order_id', in_order, 'order_item_id', w.order_item_id))
      else refusal_error('quantity_not_open', json_build_object(
        'order_item_id', w.order_item_id, 'open', i.order_item_quantity - i.shipped_quantity,
        'requested', w.quantity)) end order by w.place)
    from unnest(order_item_ids, quantities) with ordinality w (order_item_id, quantity, place)
    left join order_items i
      on i.client_id = client and i.order_id = in_order and i.order_item_id = w.order_item_id
    where i.order_item_id is null or w.quantity > i.order_item_quantity - i.shipped_quantity);
end $$;

-- The refusal of goods that the stock does not have, by item; null if it has them all. Their levels are locked.
create or replace function goods_missing(stock bigint, items bigint[], quantities integer[]) returns json
  language plpgsql as $$
begin
  return (
    select json_agg(refusal_error('goods_missing', json_build_object('item_id', l.item_id,
      'stock_id', stock, 'on_hand', coalesce(v.on_hand, 0), 'needed', l.quantity)))
    from unnest(items, quantities) l (item_id, quantity)
    left join stock_levels v on v.stock_id = stock and v.item_id = l.item_id
    where l.quantity > coalesce(v.on_hand, 0));
end $$;
