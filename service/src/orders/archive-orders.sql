-- Archives a batch of orders that were completed or cancelled :after_days ago, with an event for each.
-- Skips orders that another transaction has locked; the next run gets them. The clients are locked last, by id.
with due as (
  select order_id from orders
  where order_state_id in ('completed', 'canceled') and order_archive_datetime is null
    and order_update_datetime <= now() - make_interval(days => :after_days)
  order by order_update_datetime, order_id
  limit 500
  for no key update skip locked
), archived as (           -- Archiving is no change of the order: order_update_datetime stays.
  update orders set order_archive_datetime = now(), version = version + 1
  where order_id = any(array(select order_id from due))
  returning *
), held as (
  select c.client_id
  from (select client_id from archived group by client_id having count(*) > 0) n -- few-rows hint
  join clients c on c.client_id = n.client_id
  order by c.client_id
  for no key update of c
), happened as (           -- Without the fences one event is expected, and recorded joins row by row.
  select o.client_id, o.order_id as place, 'order.archived' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from archived o
  cross join lateral (select * from stocks s where s.stock_id = o.stock_id offset 0) s -- lookup fence
  cross join lateral (
    select * from contracts c
    where c.client_id = o.client_id and c.contract_id = o.contract_id
    offset 0 -- lookup fence
  ) c
  where (select count(*) from held) >= 0 -- chained: held first
), -- include ../events/record-events.part.sql
)
select count(*) as archived from archived
