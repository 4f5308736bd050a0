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
), counted as (            -- few-rows hint
  select client_id, count(*) as events from archived group by client_id having count(*) > 0
), held as (
  select c.client_id, n.events
  from counted n
  join clients c on c.client_id = n.client_id
  order by c.client_id
  for no key update of c
), numbered as (
  update clients c set event_number = c.event_number + h.events,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from held h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, o.client_id, n.last_number + row_number() over (partition by o.client_id order by o.order_id),
    'order.archived', o.order_id,
    -- include order-snapshot.part.sql
    , 'worker', :request_id
  from archived o
  join numbered n on n.client_id = o.client_id
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
)
select count(*) as archived from archived
