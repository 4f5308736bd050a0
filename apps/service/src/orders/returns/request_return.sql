-- Records a client's request to return shipped goods. No more of a line can be requested than was shipped, has not come
-- back and is not requested already. Lock order: key of the request, order, client.
create or replace function request_return(
  client bigint, contact bigint, order_id bigint, order_item_ids bigint[], quantities bigint[], reason text,
  requests_max integer, actor text, request_id text, idempotency_key text, request_digest bytea,
  out return_request_id bigint, out refused json
) language plpgsql as $$
declare
  held orders;
  earlier json;
begin
  select * into earlier, refused from client_retry(client, 'request-return', idempotency_key, request_digest);
  return_request_id := (earlier ->> 'return_request_id')::bigint;
  if earlier is not null or refused is not null then return; end if;

  select * into held from orders o
  where o.client_id = client and o.order_id = request_return.order_id for no key update;
  refused := case
    when not found then refusal('order_not_found', json_build_object('order_id', order_id))
    when requests_max <= (
      select count(*) from return_requests q where q.client_id = client and q.order_id = held.order_id
    ) then refusal('return_requests_full', json_build_object('order_id', order_id, 'limit', requests_max))
    else lines_not_returnable(client, held.order_id, order_item_ids, quantities, '{WAIT,ACCEPTED}') end;
  if refused is not null then return; end if;

  insert into return_requests as q (client_id, order_id, reason) values (client, held.order_id, reason)
  returning q.return_request_id into return_request_id;
  insert into return_request_lines (client_id, order_id, return_request_id, order_item_id, quantity)
  select client, held.order_id, request_return.return_request_id, w.order_item_id, w.quantity
  from unnest(order_item_ids, quantities) w (order_item_id, quantity);
  update orders o set order_update_datetime = now() -- It is neither erased nor deleted soon.
  where o.client_id = client and o.order_id = held.order_id;
  perform record_events(client, held.order_id, '{return_request.created}',
    array[jsonb_build_object('return_request_id', return_request_id, 'request_status', 'WAIT')], actor, request_id);
  if is_erased(client, contact) then
    update return_requests q set reason = ''
    where q.client_id = client and q.order_id = held.order_id
      and q.return_request_id = request_return.return_request_id;
  end if;
  perform keep_client_answer(client, 'request-return', idempotency_key, request_digest,
    json_build_object('return_request_id', return_request_id));
end $$;
