-- Requests cancellation. The order keeps its stock and counts against the limit until an operator decides.
-- If cancellation was already requested, nothing changes.
create or replace function cancel_order(
  client bigint, order_id bigint, requested text, cancellable text[], actor text, request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
  closed jsonb[];
begin
  select * into held from orders o where o.client_id = client and o.order_id = cancel_order.order_id for no key update;
  if held.order_state_id = requested then return; end if;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(cancellable) then refusal('order_not_cancellable',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id))
    when held.order_shipped_datetime is not null then
      refusal('order_partly_shipped', json_build_object('order_id', order_id))
    end;
  if refused is not null then return; end if;

  update orders o set order_state_id = requested, state_before_request = o.order_state_id,
    order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = client and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, actor)
  values (client, held.order_id, held.history_count + 1, 'Change of status', requested, actor);
  closed := close_adjustments(held, 'The cancellation of the order was requested.', actor);
  perform record_events(client, held.order_id,
    'order.state_changed'::text || array_fill('adjustment.decided'::text, array[cardinality(closed)]),
    '{}'::jsonb || closed, actor, request_id);
end $$;
