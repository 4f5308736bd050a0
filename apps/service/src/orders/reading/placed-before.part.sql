-- As finding/placed-before.part.sql, for one client: the order of the cursor is its own.
(order_create_datetime, order_id) < (
  case when :after_id::bigint is null then coalesce(:date_to::timestamptz, 'infinity')
    else (
      select order_create_datetime from orders where client_id = :client_id and order_id = :after_id
    ) end, coalesce(:after_id, 0))
and order_create_datetime >= coalesce(:date_from::timestamptz, '-infinity')
order by order_create_datetime desc, order_id desc
