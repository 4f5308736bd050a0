-- Of orders or their lines: those placed before the start of the page and within the dates, newest first. A cursor lies
-- within the dates it was issued for, so one upper bound is enough.
(order_create_datetime, order_id) < (
  case when :after_id::bigint is null then coalesce(:date_to::timestamptz, 'infinity')
    else (select order_create_datetime from orders where order_id = :after_id) end, coalesce(:after_id, 0))
and order_create_datetime >= coalesce(:date_from::timestamptz, '-infinity')
order by order_create_datetime desc, order_id desc
