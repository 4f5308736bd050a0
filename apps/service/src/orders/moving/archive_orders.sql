-- Archives a batch of orders that were completed or cancelled some days ago, with an event for each.
-- Skips orders that another transaction has locked; the next run gets them. The clients are locked last, by id.
create or replace function archive_orders(after_days integer, actor text, request_id text, out archived bigint)
  language plpgsql as $$
declare
  due bigint[];
  one record;
begin
  select array_agg(o.order_id) into due
  from (
    select o.order_id from orders o
    where o.order_state_id = any('{completed,canceled}') and o.order_archive_datetime is null
      and o.order_update_datetime <= now() - make_interval(days => after_days)
    order by o.order_update_datetime, o.order_id
    limit 500
    for no key update skip locked
  ) o;
  for one in
    with changed as (
      update orders o set order_archive_datetime = now() -- Its update time stays.
      where o.order_id = any(due)
      returning o.client_id, o.order_id
    )
    select * from changed order by 1, 2
  loop
    perform record_events(one.client_id, one.order_id, '{order.archived}', array['{}'::jsonb], actor, request_id);
  end loop;
  archived := coalesce(cardinality(due), 0);
end $$;
