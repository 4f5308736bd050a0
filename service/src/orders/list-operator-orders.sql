-- A page of all clients' orders, newest first. Each of the four ways to find them walks one index from the page's beginning;
-- exactly one of them runs. A cursor lies within the dates it was given for, so one upper bound is enough.
with bounds as (
  select
    case when :after_id::bigint is null then coalesce((:date_to::date + 1)::timestamptz, 'infinity')
      else (select order_create_datetime from orders where order_id = :after_id) end as before,
    coalesce(:after_id, 0) as before_id,
    coalesce(:date_from::date::timestamptz, '-infinity') as since
), page as (
  (select o.client_id, o.order_id, o.order_create_datetime from orders o
   where :client::bigint is null and :state::text is null
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select o.client_id, o.order_id, o.order_create_datetime from orders o
   where :client::bigint is null and :state::text is not null and o.order_state_id = :state
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select o.client_id, o.order_id, o.order_create_datetime from orders o
   where :client::bigint is not null and :state::text is null and o.client_id = :client
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select o.client_id, o.order_id, o.order_create_datetime from orders o
   where :client::bigint is not null and :state::text is not null and o.client_id = :client and o.order_state_id = :state
     and (o.order_create_datetime, o.order_id) < ((select before from bounds), (select before_id from bounds))
     and o.order_create_datetime >= (select since from bounds)
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
)
select o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_update_datetime, o.order_state_id,
  o.order_total, o.order_rate, o.order_tax, o.order_shipping, o.order_discount, o.order_shipping_date, o.order_archive_datetime,
  o.order_advertising, o.virtual, s.stock_id, s.stock_name,
  c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit, o.client_id, k.client_name,
  h.date, h."group", h.state_id, h.text
from page p
join orders o on o.client_id = p.client_id and o.order_id = p.order_id
join clients k on k.client_id = o.client_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
order by o.order_create_datetime desc, o.order_id desc, h.entry desc
