-- A request to return goods: `returnRequestColumns` in return-request.ts.
create or replace view shown_return_requests as
select q.client_id, q.order_id, q.return_request_id, q.request_datetime, q.request_status, q.reason, q.instruction,
  q.canceled_message, q.decided_at, shown_actor(q.decided_by) as decided_by, q.return_id, (
    select string_agg(l.order_item_id || ' ' || l.quantity, ',' order by l.order_item_id)
    from return_request_lines l
    where l.client_id = q.client_id and l.order_id = q.order_id and l.return_request_id = q.return_request_id
  ) as pieces
from return_requests q;

-- The request after a function has changed it; none if that was refused.
create or replace function return_request_answer(id bigint, refused json) returns setof shown_return_requests rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from shown_return_requests q where q.return_request_id = id;
  end if;
end $$;
