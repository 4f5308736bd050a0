-- A page of all clients' orders, newest first. Exactly one of the seven branches runs (:way) and scans one index from
-- the page's start, by state for each of them; the remaining filters are tested on each order found. A page examines at
-- most :scan_max orders, so its cost does not depend on the number of orders: it may be short or empty and still have a
-- next page. A cursor lies within the dates it was issued for, so one upper bound is enough.
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
  (select o.order_id, o.order_create_datetime
   from unnest(:states::text[]) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'state' and o.order_state_id = s.state
       and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
       and o.order_create_datetime >= (select since from bounds)
     order by o.order_create_datetime desc, o.order_id desc
     limit :scan_max
   ) o
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
  (select o.order_id, o.order_create_datetime
   from unnest(:states) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'client and state' and o.client_id = (select client_id from bounds) and o.order_state_id = s.state
       and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
       and o.order_create_datetime >= (select since from bounds)
     order by o.order_create_datetime desc, o.order_id desc
     limit :scan_max
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states) s (state)
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
   where :way = 'article' and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0
     and (i.order_create_datetime, i.order_id) < ((select before from bounds), (select before_id from bounds))
     and i.order_create_datetime >= (select since from bounds)
   order by i.order_create_datetime desc, i.order_id desc
   limit :scan_max)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :way = 'client and article' and i.client_id = (select client_id from bounds)
     and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0
     and (i.order_create_datetime, i.order_id) < ((select before from bounds), (select before_id from bounds))
     and i.order_create_datetime >= (select since from bounds)
   order by i.order_create_datetime desc, i.order_id desc
   limit :scan_max)
), page as (
  (select c.order_id, c.order_create_datetime, true as found
   from (select order_id, order_create_datetime from candidates order by order_create_datetime desc, order_id desc) c
   where exists (
     select 1 from orders o
     where o.order_id = c.order_id and o.order_state_id = any(:states)
       and (:stock_id::bigint is null or o.stock_id = :stock_id)
       and (:contract_id::bigint is null or o.contract_id = :contract_id)
     offset 0) -- lookup fence
   order by c.order_create_datetime desc, c.order_id desc
   limit :page_size)
  union all
  (select order_id, order_create_datetime, false from candidates -- The last order examined: there may be more after it.
   order by order_create_datetime desc, order_id desc
   offset :scan_max - 1)
), counted as (            -- An order does not fit if those before it on the page take :bytes_max bytes or more.
  select p.order_id, p.found,
    sum(l.bytes) over (order by p.order_create_datetime desc, p.order_id desc) - l.bytes < :bytes_max as fits
  from page p
  cross join lateral (
    select o.client_id, o.history_count from orders o where o.order_id = p.order_id offset 0 -- lookup fence
  ) o
  cross join lateral (
    select count(*)::integer as note_count from order_notes m
    where p.found and m.client_id = o.client_id and m.order_id = p.order_id
    offset 0 -- lookup fence
  ) m
  cross join lateral (     -- About: as event-bytes.part.sql estimates an event.
    select case when p.found then 1000 + 100 * o.history_count + 300 * m.note_count + 400 * count(*)::integer
      else 0 end as bytes
    from order_items i
    where p.found and i.client_id = o.client_id and i.order_id = p.order_id
    offset 0 -- lookup fence
  ) l
)
select -- include operator-order-columns.part.sql
  (
    select
      -- include order-history.part.sql
    from (
      select h.date, h."group", h.state_id, h.text from order_history h
      where h.client_id = o.client_id and h.order_id = o.order_id and p.fits
      order by h.entry desc
    ) h
  ) as history,
  case when p.found and p.fits then (
    -- include order-lines.part.sql
  ) end as lines, p.found, p.fits
from counted p
cross join lateral (select * from orders o where o.order_id = p.order_id offset 0) o -- lookup fence
cross join lateral (select k.client_name from clients k where k.client_id = o.client_id offset 0) k -- lookup fence
cross join lateral (
  select n.contact_name, n.contact_email from contacts n
  where n.client_id = o.client_id and n.contact_id = o.order_contact_id
  offset 0 -- lookup fence
) n
join stocks s on s.stock_id = o.stock_id
cross join lateral (
  select * from contracts c
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  offset 0 -- lookup fence
) c
order by o.order_create_datetime desc, o.order_id desc
