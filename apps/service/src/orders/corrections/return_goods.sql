-- Records a return of shipped goods, which go back into the stock or not.
-- They may be those of a client's request, which ends with it.
-- Lock order: key of the request, order, stock levels by item, client.
create or replace function return_goods(
  order_id bigint,
  order_item_ids bigint[],
  quantities bigint[],
  restock boolean,
  return_request_id bigint, -- The accepted request whose goods these are; null if there is none.
  expected bigint,        -- The returnable pieces of the order that the operator was shown; null if that is not said.
  reason text,
  actor text,
  request_id text,
  idempotency_key text,
  request_digest bytea,
  out refused json
) language plpgsql as $$
declare
  held orders;
  earlier json;
  request return_requests;
  goods record;
  returned bigint;
begin
  select * into earlier, refused from operator_retry(actor, 'return-goods', idempotency_key, request_digest);
  if earlier is not null or refused is not null then return; end if;

  select * into held from orders o where o.order_id = return_goods.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  select * into request from return_requests q
  where q.client_id = held.client_id and q.order_id = held.order_id
    and q.return_request_id = return_goods.return_request_id;
  refused := case
    when not found and return_request_id is not null then refusal('return_request_not_found',
      json_build_object('order_id', order_id, 'return_request_id', return_request_id))
    when request.request_status <> 'ACCEPTED' then refusal('return_request_not_accepted',
      json_build_object('return_request_id', return_request_id, 'request_status', request.request_status))
    else coalesce(lines_not_returnable(held.client_id, held.order_id, order_item_ids, quantities, '{}'),
      expected_differs('returnable', expected, returnable_pieces(held.client_id, held.order_id))) end;
  if refused is not null then return; end if;

  if restock then
    select array_agg(i.item_id order by i.item_id) as items,
      array_agg(w.quantity::integer order by i.item_id) as quantities
    into goods
    from unnest(order_item_ids, return_goods.quantities) w (order_item_id, quantity)
    join order_items i on i.client_id = held.client_id and i.order_id = held.order_id
      and i.order_item_id = w.order_item_id;
    perform lock_levels(held.stock_id, goods.items);
    perform shift_levels(held.stock_id, goods.items, goods.quantities, reserved_by => 0, on_hand_by => 1);
  end if;

  update orders o set order_update_datetime = now(), history_count = o.history_count + 1
  where o.client_id = held.client_id and o.order_id = held.order_id;
  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (held.client_id, held.order_id, held.history_count + 1, 'Return', held.order_state_id, reason, actor);
  insert into order_returns as r (client_id, order_id, entry, reason, restocked, returned_by)
  values (held.client_id, held.order_id, held.history_count + 1, reason, restock, actor)
  returning r.return_id into returned;
  insert into order_return_lines (client_id, order_id, return_id, order_item_id, quantity)
  select held.client_id, held.order_id, returned, w.order_item_id, w.quantity
  from unnest(order_item_ids, return_goods.quantities) w (order_item_id, quantity);

  update return_requests q set request_status = 'RETURNED', return_id = returned
  where q.client_id = held.client_id and q.order_id = held.order_id
    and q.return_request_id = request.return_request_id;

  perform record_events(held.client_id, held.order_id,
    '{order.returned}'::text[] || case when found then '{return_request.arrived}'::text[] end,
    jsonb_build_object('return_id', returned) || case when found then array[jsonb_build_object(
      'return_request_id', request.return_request_id, 'request_status', 'RETURNED')] end, actor, request_id);
  perform keep_operator_answer(actor, 'return-goods', idempotency_key, request_digest,
    json_build_object('order_id', order_id));
end $$;

-- How many pieces of an order were shipped and have not come back.
create or replace function returnable_pieces(client bigint, in_order bigint) returns bigint stable language sql as $$
  select (select sum(i.shipped_quantity) from order_items i where i.client_id = client and i.order_id = in_order)
    - coalesce((
      select sum(r.quantity) from order_return_lines r where r.client_id = client and r.order_id = in_order), 0)
$$;

-- The refusal of lines that the order does not have, or of which less can be returned; null if there is none. What
-- requests with these statuses ask for counts as returned.
create or replace function lines_not_returnable(
  client bigint, in_order bigint, order_item_ids bigint[], quantities bigint[], requested text[]
) returns json language plpgsql as $$
begin
  return (
    select json_agg(case when i.order_item_id is null
      then refusal_error('order_item_not_found',
        json_build_object('order_id', in_order, 'order_item_id', w.order_item_id))
      else refusal_error('quantity_not_returnable', json_build_object(
        'order_item_id', w.order_item_id, 'returnable', r.returnable, 'requested', w.quantity)) end order by w.place)
    from unnest(order_item_ids, quantities) with ordinality w (order_item_id, quantity, place)
    left join order_items i on i.client_id = client and i.order_id = in_order and i.order_item_id = w.order_item_id
    cross join lateral ( -- What was shipped and has not come back.
      select greatest(i.shipped_quantity - coalesce(sum(x.quantity), 0), 0)::integer as returnable
      from (
        select x.quantity from order_return_lines x
        where x.client_id = client and x.order_id = in_order and x.order_item_id = w.order_item_id
        union all
        select l.quantity
        from return_requests q
        join return_request_lines l on l.client_id = q.client_id and l.order_id = q.order_id
          and l.return_request_id = q.return_request_id
        where q.client_id = client and q.order_id = in_order and q.request_status = any(requested)
          and l.order_item_id = w.order_item_id
      ) x
    ) r
    where i.order_item_id is null or w.quantity > r.returnable);
end $$;
