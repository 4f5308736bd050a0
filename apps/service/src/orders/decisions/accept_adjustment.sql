-- Accepts an adjustment: the line changes as the client requested. Lock order: order, then as change_quantity.sql.
create or replace function accept_adjustment(
  adjustment_id bigint,
  quantity_factor integer, -- A quantity that rises by more than this has to be confirmed; 0 if none has.
  expected integer,        -- The quantity that the operator was shown; null if that is not said.
  confirmed boolean,
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  adjustment adjustments;
  line order_items;
  unconfirmed boolean;
begin
  select o.* into held
  from adjustments a
  join orders o on o.client_id = a.client_id and o.order_id = a.order_id
  where a.adjustment_id = accept_adjustment.adjustment_id
  for no key update of o;
  select * into adjustment from adjustments a
  where a.client_id = held.client_id and a.order_id = held.order_id
    and a.adjustment_id = accept_adjustment.adjustment_id;
  refused := case
    when not found then refusal('adjustment_not_found', json_build_object('adjustment_id', adjustment_id))
    when adjustment.adjustment_status <> 'WAIT' then refusal('adjustment_decided', json_build_object(
      'adjustment_id', adjustment_id, 'adjustment_status', adjustment.adjustment_status,
      'adjustment_canceled_message', adjustment.adjustment_canceled_message))
    end;
  if refused is not null then return; end if;

  select * into strict line from order_items i
  where i.client_id = held.client_id and i.order_id = held.order_id and i.order_item_id = adjustment.order_item_id;
  refused := expected_differs('quantity', expected, line.order_item_quantity);
  if refused is not null then return; end if;
  unconfirmed := quantity_factor > 0 and not confirmed
    and adjustment.quantity_wanted > line.order_item_quantity * quantity_factor::bigint;
  select c.refused into refused
  from change_quantity(held, line, adjustment.quantity_wanted, '', adjustment_id, null, unconfirmed, actor,
    request_id) c;
  if refused is null and unconfirmed then
    refused := refusal('confirmation_required', json_build_object('change', 'quantity',
      'before', line.order_item_quantity, 'after', adjustment.quantity_wanted));
  end if;
end $$;
