-- Puts an order on hold with a reason, or releases it if that is null. Nothing changes if it is so already.
-- Lock order: order, client.
create or replace function hold_order(
  order_id bigint, reason text, holdable text[], actor text, request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
begin
  select * into held from orders o where o.order_id = hold_order.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  elsif held.hold_reason is not distinct from reason then
    return;
  elsif held.order_state_id <> all(holdable) then
    refused := refusal('order_not_holdable',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id));
    return;
  end if;

  update orders o set hold_reason = reason, order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (held.client_id, held.order_id, held.history_count + 1,
    case when reason is null then 'Release' else 'Hold' end, held.order_state_id, coalesce(reason, ''), actor);
  perform record_events(held.client_id, held.order_id,
    array[case when reason is null then 'order.released' else 'order.held' end], array['{}'::jsonb], actor, request_id);
end $$;
