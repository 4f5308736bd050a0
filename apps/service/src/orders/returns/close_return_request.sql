-- Closes a request to return goods, with a message: its client withdraws it while it waits, or an operator rejects it,
-- also one that was accepted and whose goods do not come. If its client has withdrawn it already, nothing changes.
create or replace function close_return_request(
  client bigint,           -- Null if an operator rejects it,
  order_id bigint,         -- who does not name the order either.
  return_request_id bigint,
  message text,
  expected bigint,         -- The returnable pieces of the order that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  request return_requests;
begin
  if client is null then
    held := hold_requested_return(return_request_id);
  else
    select * into held from orders o
    where o.client_id = client and o.order_id = close_return_request.order_id
    for no key update;
  end if;
  select * into request from return_requests q
  where q.client_id = held.client_id and q.order_id = held.order_id
    and q.return_request_id = close_return_request.return_request_id;
  if client is not null and request.canceled_message = message then return; end if;
  refused := case
    when client is not null and held.order_id is null then
      refusal('order_not_found', json_build_object('order_id', order_id))
    when request.return_request_id is null then refusal('return_request_not_found',
      json_strip_nulls(json_build_object('order_id', order_id, 'return_request_id', return_request_id)))
    when request.request_status <> 'WAIT' and (client is not null or request.request_status <> 'ACCEPTED') then
      return_request_decided(request)
    else expected_differs('returnable', expected, returnable_pieces(held.client_id, held.order_id)) end;
  if refused is not null then return; end if;
  perform decide_return_request(request, 'CANCELED', request.instruction, message, actor, request_id);
end $$;

-- From here on: what accept_return_request.sql does in the same way.

-- The order of a request, locked; null if there is no such request.
create or replace function hold_requested_return(request bigint) returns orders language plpgsql as $$
declare
  held orders;
begin
  select o.* into held
  from return_requests q
  join orders o on o.client_id = q.client_id and o.order_id = q.order_id
  where q.return_request_id = request
  for no key update of o;
  return held;
end $$;

create or replace function return_request_decided(request return_requests) returns json stable language sql as $$
  select refusal('return_request_decided', json_build_object('return_request_id', request.return_request_id,
    'request_status', request.request_status, 'canceled_message', nullif(request.canceled_message, '')))
$$;

create or replace function decide_return_request(
  request return_requests, status text, instruction text, message text, actor text, request_id text
) returns void language plpgsql as $$
begin
  update return_requests q set request_status = status, instruction = decide_return_request.instruction,
    canceled_message = message, decided_at = now(), decided_by = decide_return_request.actor
  where q.client_id = request.client_id and q.order_id = request.order_id
    and q.return_request_id = request.return_request_id;
  perform record_events(request.client_id, request.order_id, '{return_request.decided}',
    array[jsonb_build_object('return_request_id', request.return_request_id, 'request_status', status,
      'decided_by', actor)], actor, request_id);
end $$;
