-- Reschedules an order to a day on which its stock can ship. Requesting the present day again changes nothing.
create or replace function reschedule_order(
  client bigint,         -- Null if an operator reschedules it.
  order_id bigint,
  shipping_date date,
  days_ahead_max integer,
  reschedulable text[],
  history_max integer,
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  earliest date;
  latest constant date := current_date + days_ahead_max;
begin
  select * into held from orders o
  where o.order_id = reschedule_order.order_id and o.client_id = coalesce(client, o.client_id)
  for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  if held.order_state_id <> all(reschedulable) then
    refused := refusal('order_not_reschedulable', json_build_object('order_id', held.order_id,
      'order_state_id', held.order_state_id));
    return;
  end if;
  if held.order_shipping_date = shipping_date then return; end if;
  earliest := earliest_shipping_day(held.stock_id);
  refused := case
    when earliest is null or shipping_date not between earliest and latest then
      refusal('shipping_date_refused', json_build_object('field', 'shipping_date', 'shipping_date', shipping_date,
        'earliest_date', earliest, 'latest_date', latest))
    when held.history_count >= history_max then
      refusal('order_history_full', json_build_object('order_id', order_id, 'limit', history_max))
    end;
  if refused is not null then return; end if;

  update orders o set order_shipping_date = shipping_date, order_update_datetime = now(),
    history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Change of shipping date', held.order_state_id,
    shipping_date::text, actor);
  perform record_events(held.client_id, held.order_id, '{order.rescheduled}', array['{}'::jsonb], actor,
    request_id);
end $$;
