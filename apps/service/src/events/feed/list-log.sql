-- A page of what happened, newest first. Exactly one of the five branches runs (:way) and walks one index from the
-- page's start; the remaining filters are tested on each event. A page examines at most :scan_max events, so its cost
-- does not depend on the size of the log: it may be short or empty and still have a next page. Of an event of an order,
-- the previous one of the order has the old values, and order_item_changes those of the lines.
with bounds as (
  select coalesce(timestamptz 'epoch' + :before_key::bigint * interval '1 microsecond',
      :date_to::timestamptz, 'infinity') as before,
    coalesce(:date_from::timestamptz, '-infinity') as since
), transactions as (       -- The same for the log of everything, by the orders placed after and before these times.
  select case when :before_key is not null then :before_key::text::xid8 else coalesce((
      select e.transaction_id
      from (
        select o.order_id from orders o
        where :way = 'all' and o.order_create_datetime >= (select before from bounds) + interval '5 minutes'
        order by o.order_create_datetime, o.order_id
        limit 1
      ) o
      cross join lateral (select e.transaction_id from events e where e.order_id = o.order_id limit 1) e
    ), '18446744073709551615') end as before,
    coalesce((
      select e.transaction_id
      from (
        select o.order_id from orders o
        where :way = 'all' and o.order_create_datetime < (select since from bounds) - interval '5 minutes'
        order by o.order_create_datetime desc, o.order_id desc
        limit 1
      ) o
      cross join lateral (
        select e.transaction_id from events e where e.order_id = o.order_id order by e.event_number limit 1
      ) e
    ), '0') as since
), candidates as (
  (select x.client_id, x.event_number, x.event_datetime,
     row_number() over (order by x.event_number desc) as place
   from (
     select x.client_id, x.event_number, x.event_datetime from events x
     where :way = 'order' and x.order_id = :order_id::bigint and x.event_number < :before_number::bigint
     order by x.event_number desc
     limit :scan_max
   ) x)
  union all
  (select x.client_id, x.event_number, x.event_datetime, row_number() over (order by x.event_number desc)
   from (
     select x.client_id, x.event_number, x.event_datetime from events x
     where :way = 'client' and x.client_id = :client::bigint and x.event_number < :before_number
     order by x.event_number desc
     limit :scan_max
   ) x)
  union all
  (select x.client_id, x.event_number, x.event_datetime,
     row_number() over (order by x.event_datetime desc, x.client_id desc, x.event_number desc)
   from (
     select x.client_id, x.event_number, x.event_datetime from events x
     where :way = 'operator' and split_part(x.actor, ' ', 2) = :operator_id::text and x.actor like 'operator %'
       and (x.event_datetime, x.client_id, x.event_number)
         < ((select before from bounds), :before_client::bigint, :before_number)
       and x.event_datetime >= (select since from bounds)
     order by x.event_datetime desc, x.client_id desc, x.event_number desc
     limit :scan_max
   ) x)
  union all
  (select x.client_id, x.event_number, x.event_datetime,
     row_number() over (order by x.event_datetime desc, x.client_id desc, x.event_number desc)
   from (
     select x.client_id, x.event_number, x.event_datetime from events x
     where :way = 'type' and x.event_type = :event_type::text and x.event_type <> 'order.created'
       and (x.event_datetime, x.client_id, x.event_number)
         < ((select before from bounds), :before_client, :before_number)
       and x.event_datetime >= (select since from bounds)
     order by x.event_datetime desc, x.client_id desc, x.event_number desc
     limit :scan_max
   ) x)
  union all
  (select x.client_id, x.event_number, x.event_datetime,
     row_number() over (order by x.transaction_id desc, x.client_id desc, x.event_number desc)
   from (
     select x.client_id, x.event_number, x.event_datetime, x.transaction_id from events x
     where :way = 'all'
       and (x.transaction_id, x.client_id, x.event_number)
         < ((select before from transactions), :before_client, :before_number)
       and x.transaction_id >= (select since from transactions)
     order by x.transaction_id desc, x.client_id desc, x.event_number desc
     limit :scan_max
   ) x)
), page as (
  (select c.client_id, c.event_number, c.place, true as found
   from (select client_id, event_number, place from candidates order by place) c
   where exists (
     select 1 from events e
     where e.client_id = c.client_id and e.event_number = c.event_number
       and (:order_id is null or e.order_id = :order_id)
       and (:client is null or e.client_id = :client)
       and (:operator_id is null or split_part(e.actor, ' ', 2) = :operator_id and e.actor like 'operator %')
       and (:actor::text is null or e.actor = :actor)
       and (:event_type is null or e.event_type = :event_type)
       and e.event_datetime >= (select since from bounds)
       and (:date_to is null or e.event_datetime < :date_to))
   order by c.place
   limit :page_size)
  union all
  (select client_id, event_number, place, false from candidates where place = :scan_max) -- The last event examined.
)
select e.client_id, k.client_name, e.event_number, e.event_type, e.event_datetime,
  case :way when 'all' then e.transaction_id::text::bigint
    else (extract(epoch from e.event_datetime) * 1000000)::bigint end as key,
  e.order_id, o.order_number, shown_actor(e.actor) as actor, e.request_id,
  e.data, b.data as data_before, coalesce(l.lines, '[]') as lines, p.found
from page p
cross join lateral (
  select * from events e where e.client_id = p.client_id and e.event_number = p.event_number
) e
cross join lateral (select k.client_name from clients k where k.client_id = e.client_id) k
left join lateral (
  select o.order_number from orders o where o.client_id = e.client_id and o.order_id = e.order_id
) o on true
left join lateral (
  select b.data from events b
  where b.order_id = e.order_id and b.event_number < e.event_number and b.event_type like 'order.%'
    and e.event_type like 'order.%' and p.found
  order by b.event_number desc
  limit 1
) b on true
left join lateral (
  select jsonb_agg(jsonb_build_object('order_item_id', y.order_item_id, 'article', i.item_vendor_code,
    'old', y.quantity_before, 'new', y.quantity_after) order by y.order_item_id) as lines
  from order_item_changes y
  join order_items i on i.client_id = y.client_id and i.order_id = y.order_id and i.order_item_id = y.order_item_id
  where y.client_id = e.client_id and y.order_id = e.order_id and y.entry = (e.data ->> 'history_count')::integer
    and e.event_type like 'order.%' and p.found
) l on true
order by p.place, p.found desc
