-- A page of all clients' orders by shipping date, soonest first; by total, the largest first, of orders that have not
-- shipped; or by last change, newest first, of orders changed after they were placed. Exactly one of the three branches
-- runs (:sort) and walks one index from the page's start, at most :scan_max orders; the filters are tested on each.
with candidates as (
  (select o.order_id, to_char(o.order_shipping_date, 'YYYYMMDD') as key,
     row_number() over (order by o.order_shipping_date, o.order_id) as place
   from (
     select o.order_id, o.order_shipping_date from orders o
     where :sort = 'ship_date' and o.order_shipping_date is not null
       and (o.order_shipping_date, o.order_id)
         > (coalesce(to_date(:after_key::bigint::text, 'YYYYMMDD'), :ship_from::date, '-infinity'), :after_id::bigint)
       and o.order_shipping_date <= coalesce(:ship_to::date, 'infinity')
     order by o.order_shipping_date, o.order_id
     limit :scan_max
   ) o)
  union all
  (select o.order_id, (o.order_total * 1000)::bigint::text,
     row_number() over (order by o.order_total desc, o.order_id desc)
   from (
     select o.order_id, o.order_total from orders o
     where :sort = 'total' and o.order_state_id in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen')
       and (o.order_total, o.order_id) < (coalesce(:after_key / 1000.0, 'infinity'), :after_id)
     order by o.order_total desc, o.order_id desc
     limit :scan_max
   ) o)
  union all
  (select o.order_id, (extract(epoch from o.order_update_datetime) * 1000000)::bigint::text,
     row_number() over (order by o.order_update_datetime desc, o.order_id desc)
   from (
     select o.order_id, o.order_update_datetime from orders o
     where :sort = 'changed' and o.order_update_datetime > o.order_create_datetime
       and (o.order_update_datetime, o.order_id)
         < (coalesce(timestamptz 'epoch' + :after_key * interval '1 microsecond', 'infinity'), :after_id)
       and o.order_update_datetime >= coalesce(:changed_since::timestamptz, '-infinity')
     order by o.order_update_datetime desc, o.order_id desc
     limit :scan_max
   ) o)
), placed as (
  select order_id, key || '-' || order_id as position, place from candidates
), -- include operator-orders-page.part.sql
