-- Undoes a cancellation: the order returns to its state before it, and before the request if there was one. Its goods
-- are reserved again, all or none, and it counts against the limit again.
-- Lock order: order, contract, queues of items, stock levels by item, client.
create or replace function undo_cancellation(
  order_id bigint, undo_hours integer, open_states text[], reason text, actor text, request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
  cancelled_at timestamptz;
  state_before text; -- That of the newest history entry in an open state: every entry has the state of the order.
  goods record;
  why text;
  contract contracts;
  exposure_after numeric;
  low boolean;
begin
  select * into held from orders o where o.order_id = undo_cancellation.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  select (array_agg(h.date order by h.entry desc)
      filter (where h.state_id = 'canceled' and h."group" = 'Change of status'))[1],
    (array_agg(h.state_id order by h.entry desc) filter (where h.state_id = any(open_states)))[1]
  into cancelled_at, state_before
  from order_history h
  where h.client_id = held.client_id and h.order_id = held.order_id;
  select * into goods from goods_of_order(held.client_id, held.order_id);
  why := case
    when held.order_state_id <> 'canceled' then 'not_cancelled'
    when held.order_archive_datetime is not null then 'archived'
    when goods.items is null then 'no_lines'
    -- By the clock, since the address may have been erased while we waited for the order (erase_addresses.sql).
    when (cancelled_at > clock_timestamp() - make_interval(hours => undo_hours)) is not true then 'too_late' end;
  if why is not null then
    refused := refusal('cancellation_not_undoable', json_build_object('order_id', order_id,
      'order_state_id', held.order_state_id, 'cancelled_at', to_char(cancelled_at, 'YYYY-MM-DD HH24:MI:SS'),
      'why', why));
    return;
  end if;

  select * into contract from contracts c
  where c.client_id = held.client_id and c.contract_id = held.contract_id for no key update;
  exposure_after := contract.exposure + held.order_total;
  refused := coalesce(
    case when not held.virtual then goods_lacking(held.stock_id, goods.items, goods.quantities) end,
    limit_refusal(contract.contract_id, contract.contract_limit, contract.exposure, held.order_total),
    size_refusal(exposure_after));
  if refused is not null then return; end if;

  update contracts c set exposure = exposure_after
  where c.client_id = held.client_id and c.contract_id = held.contract_id;
  update orders o set order_state_id = state_before, order_update_datetime = now(),
    history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Change of status', state_before, reason, actor);
  if not held.virtual then perform reserve_items(held.stock_id, goods.items, goods.quantities); end if;

  low := limit_reached(contract.contract_limit, contract.exposure, exposure_after);
  perform record_events(held.client_id, held.order_id,
    case when low then '{order.state_changed,contract.limit_low}' else '{order.state_changed}' end::text[],
    array_fill(jsonb_build_object('exposure', exposure_after), array[1 + low::integer]), actor, request_id);
end $$;
