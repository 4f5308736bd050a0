-- Deletes a batch of orders that were archived and last changed at least kept_days ago, with all that belongs to them.
-- Looks at the next 20 after a position, in the order in which they were archived. An order stays while there are
-- events about it, since these show it; events expire on their own (expire-events.sql).
-- Skips orders that another transaction has locked; the next run gets them. Lock order: orders, what belongs to them.
create or replace function delete_orders(
  kept_days integer,
  after_at text,           -- The position: a time with microseconds, and an id.
  after_id bigint,
  out last_at text,        -- The position of the last one; null if there is none left.
  out last_id bigint,
  out deleted bigint
) language plpgsql as $$
declare
  kept_since constant timestamptz := now() - make_interval(days => kept_days);
  held bigint[];
  due bigint[];
begin
  select array_agg(o.order_id order by o.order_archive_datetime, o.order_id), max(o.order_archive_datetime)::text
  into held, last_at
  from (
    select o.order_id, o.order_archive_datetime from orders o
    where (o.order_archive_datetime, o.order_id) > (after_at::timestamptz, after_id)
      and o.order_archive_datetime <= kept_since
      and o.order_update_datetime <= kept_since -- Goods may have come back after it was archived.
    order by o.order_archive_datetime, o.order_id limit 20 -- Of up to 1,000 lines each: about a second.
    for update skip locked
  ) o;
  last_id := held[cardinality(held)];
  -- Nobody adds to an order, or records an event about it, without its lock.
  due := array(select d.order_id from unnest(held) d (order_id)
    where not exists (select from events e where e.order_id = d.order_id));

  delete from return_request_lines l using orders o
  where o.order_id = any(due) and l.client_id = o.client_id and l.order_id = o.order_id;
  delete from return_requests q using orders o
  where o.order_id = any(due) and q.client_id = o.client_id and q.order_id = o.order_id;
  delete from order_return_lines l using orders o
  where o.order_id = any(due) and l.client_id = o.client_id and l.order_id = o.order_id;
  delete from order_returns r using orders o
  where o.order_id = any(due) and r.client_id = o.client_id and r.order_id = o.order_id;
  delete from shipment_lines l using orders o
  where o.order_id = any(due) and l.client_id = o.client_id and l.order_id = o.order_id;
  delete from shipments p using orders o
  where o.order_id = any(due) and p.client_id = o.client_id and p.order_id = o.order_id;
  delete from adjustments a using orders o
  where o.order_id = any(due) and a.client_id = o.client_id and a.order_id = o.order_id;
  delete from order_item_changes y using orders o
  where o.order_id = any(due) and y.client_id = o.client_id and y.order_id = o.order_id;
  delete from order_history h using orders o
  where o.order_id = any(due) and h.client_id = o.client_id and h.order_id = o.order_id;
  delete from order_metadata m using orders o
  where o.order_id = any(due) and m.client_id = o.client_id and m.order_id = o.order_id;
  delete from order_documents d using orders o
  where o.order_id = any(due) and d.client_id = o.client_id and d.order_id = o.order_id;
  delete from order_notes m using orders o
  where o.order_id = any(due) and m.client_id = o.client_id and m.order_id = o.order_id;
  delete from order_items i using orders o
  where o.order_id = any(due) and i.client_id = o.client_id and i.order_id = o.order_id;
  delete from orders_to_erase t using orders o
  where o.order_id = any(due) and t.client_id = o.client_id and t.order_id = o.order_id;
  delete from orders o where o.order_id = any(due);
  deleted := cardinality(due);
end $$;
