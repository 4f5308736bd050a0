-- A page of the requests to return goods of all clients or of one, newest first. Each status is read from one index;
-- which of the two branches runs depends on the client.
with page as (
  (select q.return_request_id
   from unnest(:statuses::text[]) s (status)
   cross join lateral (
     select q.return_request_id from return_requests q
     where :client::bigint is null and q.request_status = s.status and q.return_request_id < :before_id
     order by q.return_request_id desc
     limit :page_size
   ) q)
  union all
  (select q.return_request_id
   from unnest(:statuses) s (status)
   cross join lateral (
     select q.return_request_id from return_requests q
     where q.client_id = :client and q.request_status = s.status and q.return_request_id < :before_id
     order by q.return_request_id desc
     limit :page_size
   ) q)
  order by return_request_id desc
  limit :page_size
)
select -- columns q
  q.client_id, c.client_name, o.order_number
from page p
cross join lateral (
  select * from shown_return_requests q where q.return_request_id = p.return_request_id
) q
cross join lateral (select c.client_name from clients c where c.client_id = q.client_id) c
cross join lateral (
  select o.order_number from orders o
  where o.client_id = q.client_id and o.order_id = q.order_id
) o
order by q.return_request_id desc
