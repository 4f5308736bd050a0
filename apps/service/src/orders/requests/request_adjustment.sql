-- Records a request to change a line's quantity. It supersedes an open request with another quantity. A request for
-- the line's present quantity needs no decision and is accepted at once. Repeating the newest request of the line
-- returns it, while it is open or the line has the quantity that it asked for.
create or replace function request_adjustment(
  client bigint, contact bigint, order_id bigint, order_item_id bigint, quantity integer, reason text,
  adjustable text[], actor text, request_id text, out adjustment_id bigint, out refused json
) language plpgsql as $$
declare
  held orders;
  line order_items;
  newest adjustments;
  superseded adjustments;
  requested adjustments;
begin
  select * into held from orders o
  where o.client_id = client and o.order_id = request_adjustment.order_id for no key update;
  select * into line from order_items i
  where i.client_id = client and i.order_id = held.order_id and i.order_item_id = request_adjustment.order_item_id
    and i.order_item_quantity > 0; -- Others were removed from the order.
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when line.order_item_id is null then refusal('order_item_not_found',
      json_build_object('order_id', order_id, 'order_item_id', order_item_id))
    when held.order_state_id <> all(adjustable) then refusal('order_not_adjustable',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id))
    end;
  if refused is not null then return; end if;

  select * into newest from adjustments a -- If one is open, it is this one.
  where a.client_id = client and a.order_id = held.order_id and a.order_item_id = line.order_item_id
  order by a.adjustment_id desc
  limit 1;
  adjustment_id := newest.adjustment_id;
  if newest.quantity_wanted = quantity and (newest.adjustment_status = 'WAIT'
    or newest.adjustment_status = 'ACCEPTED' and line.order_item_quantity = quantity)
  then
    return;
  end if;

  adjustment_id := nextval(pg_get_serial_sequence('adjustments', 'adjustment_id'));
  if newest.adjustment_status = 'WAIT' then
    update adjustments a set adjustment_status = 'CANCELED', decided_at = now(),
      decided_by = request_adjustment.actor,
      adjustment_canceled_message = 'Superseded by adjustment ' || request_adjustment.adjustment_id || '.'
    where a.client_id = client and a.order_id = held.order_id and a.adjustment_id = newest.adjustment_id
    returning a.* into superseded;
  end if;
  insert into adjustments as a (client_id, order_id, adjustment_id, order_item_id, quantity_before, quantity_wanted,
    reason, adjustment_status, decided_at, decided_by)
  select client, held.order_id, request_adjustment.adjustment_id, line.order_item_id, line.order_item_quantity,
    quantity, request_adjustment.reason, case when n.unchanged then 'ACCEPTED' else 'WAIT' end,
    case when n.unchanged then now() end, case when n.unchanged then 'service' end
  from (select line.order_item_quantity = quantity as unchanged) n
  returning a.* into requested;

  perform record_events(client, held.order_id,
    case when superseded.adjustment_id is not null then '{adjustment.decided}'::text[] end || 'adjustment.created'::text
      || case when requested.adjustment_status = 'ACCEPTED' then '{adjustment.decided}'::text[] end,
    case when superseded.adjustment_id is not null then array[adjustment_snapshot(superseded)] end
      || (adjustment_snapshot(requested) || '{"adjustment_status": "WAIT"}')
      || case when requested.adjustment_status = 'ACCEPTED' then array[adjustment_snapshot(requested)] end,
    actor, request_id);
  if reason is not null and is_erased(client, contact) then
    update adjustments a set reason = null
    where a.client_id = client and a.order_id = held.order_id and a.adjustment_id = requested.adjustment_id;
  end if;
end $$;
