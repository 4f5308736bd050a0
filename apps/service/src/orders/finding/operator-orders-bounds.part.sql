-- Where a page of orders, newest first, starts and ends.
bounds as (
  select
    case when :after_id::bigint is null then coalesce(:date_to::timestamptz, 'infinity')
      else (select order_create_datetime from orders where order_id = :after_id) end as before,
    coalesce(:after_id, 0) as before_id,
    coalesce(:date_from::timestamptz, '-infinity') as since
