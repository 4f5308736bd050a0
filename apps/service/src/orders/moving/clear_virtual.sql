-- Reserves the goods of a virtual order, all or none. An order that is not virtual stays unchanged.
-- Lock order: order, queues of items, stock levels by item, client.
create or replace function clear_virtual(
  order_id bigint, reservable text[], actor text, request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
  goods record;
begin
  select * into held from orders o where o.order_id = clear_virtual.order_id for no key update;
  if not held.virtual then return; end if;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(reservable) then refusal('virtual_not_clearable',
      json_build_object('order_id', order_id, 'order_state_id', held.order_state_id))
    end;
  if refused is not null then return; end if;
  select * into goods from goods_of_order(held.client_id, held.order_id);
  refused := goods_lacking(held.stock_id, goods.items, goods.quantities);
  if refused is not null then return; end if;

  update orders o set virtual = false, order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Change of reservation', held.order_state_id,
    actor);
  perform reserve_items(held.stock_id, goods.items, goods.quantities);
  perform record_events(held.client_id, held.order_id, '{order.changed}', array['{}'::jsonb], actor, request_id);
end $$;
