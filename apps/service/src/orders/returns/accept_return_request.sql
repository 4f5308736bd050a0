-- Accepts a request to return goods, if these can still be returned: others may have come back without a request.
-- Lock order: order, client.
create or replace function accept_return_request(
  return_request_id bigint,
  instruction text,        -- How the goods come back.
  expected bigint,         -- As in close_return_request.sql.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  held orders;
  request return_requests;
  wanted record;
begin
  held := hold_requested_return(return_request_id);
  select * into request from return_requests q
  where q.client_id = held.client_id and q.order_id = held.order_id
    and q.return_request_id = accept_return_request.return_request_id;
  refused := case
    when not found then
      refusal('return_request_not_found', json_build_object('return_request_id', return_request_id))
    when request.request_status <> 'WAIT' then return_request_decided(request)
    else expected_differs('returnable', expected, returnable_pieces(held.client_id, held.order_id)) end;
  if refused is not null then return; end if;
  select array_agg(l.order_item_id order by l.order_item_id) as items,
    array_agg(l.quantity::bigint order by l.order_item_id) as quantities
  into wanted
  from return_request_lines l
  where l.client_id = held.client_id and l.order_id = held.order_id
    and l.return_request_id = request.return_request_id;
  refused := lines_not_returnable(held.client_id, held.order_id, wanted.items, wanted.quantities, '{ACCEPTED}');
  if refused is not null then return; end if;
  perform decide_return_request(request, 'ACCEPTED', instruction, '', actor, request_id);
end $$;
