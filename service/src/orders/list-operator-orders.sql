-- A page of all clients' orders, newest first. Exactly one of the seven branches runs (:way) and scans one index from
-- the page's start; the remaining filters are tested on each order found. A page examines at most :scan_max orders,
-- so its cost does not depend on the number of orders: it may be short or empty and still have a next page.
-- A cursor lies within the dates it was issued for, so one upper bound is enough.
with bounds as (
  select
    case when :after_id::bigint is null then coalesce((:date_to::date + 1)::timestamptz, 'infinity')
      else (select order_create_datetime from orders where order_id = :after_id) end as before,
    coalesce(:after_id, 0) as before_id,
    coalesce(:date_from::date::timestamptz, '-infinity') as since,
    -- A contract's orders belong to its client; null if the contract does not belong to :client.
    case when :contract_id::bigint is null then :client::bigint
      else (
        select client_id from contracts
        where contract_id = :contract_id and (:client::bigint is null or client_id = :client)
      ) end as client_id
), candidates as (
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'all'
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'state' and o.order_state_id = :state
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'client' and o.client_id = (select client_id from bounds)
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'client and state' and o.client_id = (select client_id from bounds) and o.order_state_id = :state
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states::text[]) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'stock' and o.stock_id = :stock_id and o.order_state_id = s.state
       and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
       and o.order_create_datetime >= (select since from bounds)
     order by o.order_create_datetime desc, o.order_id desc
     limit :scan_max
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :way = 'article' and lower(i.item_vendor_code) = lower(:sku_code)
     and (i.order_create_datetime, i.order_id) < ((select before from bounds), (select before_id from bounds))
     and i.order_create_datetime >= (select since from bounds)
   order by i.order_create_datetime desc, i.order_id desc
   limit :scan_max)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :way = 'client and article' and i.client_id = (select client_id from bounds)
     and lower(i.item_vendor_code) = lower(:sku_code)
     and (i.order_create_datetime, i.order_id) < ((select before from bounds), (select before_id from bounds))
     and i.order_create_datetime >= (select since from bounds)
   order by i.order_create_datetime desc, i.order_id desc
   limit :scan_max)
), page as (
  (select c.order_id, true as found
   from (select order_id, order_create_datetime from candidates order by order_create_datetime desc, order_id desc) c
   where exists (
     select 1 from orders o
     where o.order_id = c.order_id and (:state::text is null or o.order_state_id = :state)
       and (:stock_id::bigint is null or o.stock_id = :stock_id)
       and (:contract_id::bigint is null or o.contract_id = :contract_id)
     offset 0) -- lookup fence
   order by c.order_create_datetime desc, c.order_id desc
   limit :page_size)
  union all
  (select order_id, false from candidates -- The last order examined: there may be more after it.
   order by order_create_datetime desc, order_id desc
   offset :scan_max - 1)
)
select -- include order-columns.part.sql
  o.client_id, k.client_name, h.date, h."group", h.state_id, h.text, p.found
from page p
cross join lateral (select * from orders o where o.order_id = p.order_id offset 0) o -- lookup fence
cross join lateral (select k.client_name from clients k where k.client_id = o.client_id offset 0) k -- lookup fence
join stocks s on s.stock_id = o.stock_id
cross join lateral (
  select * from contracts c
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  offset 0 -- lookup fence
) c
cross join lateral (
  select * from order_history h
  where h.client_id = o.client_id and h.order_id = o.order_id
  offset 0 -- lookup fence
) h
order by o.order_create_datetime desc, o.order_id desc, h.entry desc
