-- A page of orders, newest first. Exactly one of the three branches runs and scans one index from the page's start.
-- A cursor lies within the dates it was issued for, so one upper bound is enough.
with bounds as (
  select
    case when :after_id::bigint is null then coalesce((:date_to::date + 1)::timestamptz, 'infinity')
      else (
        select order_create_datetime from orders where client_id = :client_id and order_id = :after_id
      ) end as before,
    coalesce(:after_id, 0) as before_id,
    coalesce(:date_from::date::timestamptz, '-infinity') as since
), page as (
  (select o.order_id, o.order_create_datetime from orders o
   where :state::text is null and :sku_code::text is null
     and o.client_id = :client_id
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :state::text is not null and :sku_code::text is null
     and o.client_id = :client_id and o.order_state_id = :state
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :sku_code::text is not null
     and i.client_id = :client_id and lower(i.item_vendor_code) = lower(:sku_code)
     and (i.order_create_datetime, i.order_id) < ((select before from bounds), (select before_id from bounds))
     and i.order_create_datetime >= (select since from bounds)
     and (:state::text is null or exists (
       select 1 from orders o
       where o.client_id = i.client_id and o.order_id = i.order_id and o.order_state_id = :state))
   order by i.order_create_datetime desc, i.order_id desc
   limit :page_size)
)
select -- include order-columns.part.sql
  h.date, h."group", h.state_id, h.text
from page p
join orders o on o.client_id = :client_id and o.order_id = p.order_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
order by o.order_create_datetime desc, o.order_id desc, h.entry desc
