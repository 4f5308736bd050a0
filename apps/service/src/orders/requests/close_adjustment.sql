-- Closes an open adjustment with a message: its client withdraws it, or an operator rejects it. The line stays
-- unchanged. If its client has withdrawn it already, nothing changes.
create or replace function close_adjustment(
  client bigint,           -- Null if an operator rejects it,
  order_id bigint,         -- who does not name the order either.
  adjustment_id bigint,
  message text,
  expected integer,        -- The quantity of the line that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  adjustment adjustments;
begin
  if client is null then
    select o.* into held
    from adjustments a
    join orders o on o.client_id = a.client_id and o.order_id = a.order_id
    where a.adjustment_id = close_adjustment.adjustment_id
    for no key update of o;
  else
    select * into held from orders o
    where o.client_id = client and o.order_id = close_adjustment.order_id
    for no key update;
  end if;
  select * into adjustment from adjustments a
  where a.client_id = held.client_id and a.order_id = held.order_id
    and a.adjustment_id = close_adjustment.adjustment_id;
  if client is not null and adjustment.adjustment_canceled_message = message then return; end if;
  refused := case
    when client is not null and held.order_id is null then
      refusal('order_not_found', json_build_object('order_id', order_id))
    when adjustment.adjustment_id is null then
      refusal('adjustment_not_found',
        json_strip_nulls(json_build_object('order_id', order_id, 'adjustment_id', adjustment_id)))
    when adjustment.adjustment_status <> 'WAIT' then refusal('adjustment_decided', json_build_object(
      'adjustment_id', adjustment_id, 'adjustment_status', adjustment.adjustment_status,
      'adjustment_canceled_message', adjustment.adjustment_canceled_message))
    when expected is not null then expected_differs('quantity', expected, (
      select i.order_item_quantity from order_items i
      where i.client_id = held.client_id and i.order_id = held.order_id
        and i.order_item_id = adjustment.order_item_id))
    end;
  if refused is not null then return; end if;

  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = close_adjustment.actor,
    adjustment_canceled_message = message
  where a.client_id = held.client_id and a.order_id = held.order_id and a.adjustment_id = adjustment.adjustment_id
  returning a.* into adjustment;
  perform record_events(held.client_id, held.order_id, '{adjustment.decided}',
    array[adjustment_snapshot(adjustment)], actor, request_id);
end $$;
