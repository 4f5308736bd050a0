-- Looks at a batch of orders of erased contacts (orders_to_erase). Of one that was shipped, completed or cancelled, and
-- has not changed for some days, it erases everything that a person wrote, and the delivery address but for the
-- country. An order that another transaction has locked is left for another day.
-- Lock order: list, orders, what belongs to them: all others lock that under its order, too.
create or replace function erase_addresses(after_days integer, open_states text[], out looked bigint)
  language plpgsql as $$
declare
  listed bigint[];
  due bigint[];
begin
  select array_agg(t.order_id) into listed
  from (
    select t.order_id from orders_to_erase t where t.look_at <= now()
    order by t.look_at limit 500 for no key update skip locked
  ) t;
  looked := coalesce(cardinality(listed), 0);
  select coalesce(array_agg(o.order_id), '{}') into due
  from (
    select o.order_id from orders o
    where o.order_id = any(listed) and o.order_state_id <> all(open_states)
      and o.order_update_datetime <= now() - make_interval(days => after_days)
    for no key update skip locked
  ) o;

  -- 1. The order. Its digest goes as well: an address can be found by trying all of them. A repetition of the request
  --    that placed the order is refused from then on (cart_group_already_ordered).
  update orders o set zip = '', region_code = '', city = '', street = '', home = '', room = null, recipient = null,
    company = null, phone = null, email = null, reference = null, unique_reference = null, comment = null,
    request_digest = ''
  where o.order_id = any(due) and (o.street <> '' or o.reference is not null or o.comment is not null);

  -- 2. What operators and the client's other contacts wrote about it. Who wrote it and when stays.
  delete from order_metadata m using orders o
  where o.order_id = any(due) and m.client_id = o.client_id and m.order_id = o.order_id;
  update order_history h set text = '' from orders o
  where o.order_id = any(due) and h.client_id = o.client_id and h.order_id = o.order_id and h.text <> '';
  update order_notes m set note_text = '' from orders o
  where o.order_id = any(due) and m.client_id = o.client_id and m.order_id = o.order_id and m.note_text <> '';
  update order_returns r set reason = '' from orders o
  where o.order_id = any(due) and r.client_id = o.client_id and r.order_id = o.order_id and r.reason <> '';
  update return_requests q set reason = '', instruction = '', canceled_message = '' from orders o
  where o.order_id = any(due) and q.client_id = o.client_id and q.order_id = o.order_id
    and (q.reason <> '' or q.instruction <> '' or q.canceled_message <> '');
  update shipments p set carrier = '', tracking = '' from orders o
  where o.order_id = any(due) and p.client_id = o.client_id and p.order_id = o.order_id
    and (p.carrier <> '' or p.tracking <> '');
  update adjustments a set reason = null,
    adjustment_canceled_message = case when a.adjustment_canceled_message is not null then '' end
  from orders o
  where o.order_id = any(due) and a.client_id = o.client_id and a.order_id = o.order_id
    and (a.reason is not null or a.adjustment_canceled_message <> '');

  -- 3. Events join all of it when they are read, but for this.
  perform erase_event_messages(due);

  -- 4. When to look again: a day after the order may be due, but within a month, since the setting may change.
  update orders_to_erase t set look_at = now() + case
    when o.order_id = any(due) then interval '30 days'
    when o.order_state_id = any(open_states) then interval '1 day'
    else least(greatest(o.order_update_datetime + make_interval(days => after_days) - now(), '1 day'), '30 days') end
  from orders o
  where o.order_id = any(listed) and t.client_id = o.client_id and t.order_id = o.order_id;

  -- 5. An order that was deleted (delete_orders.sql) while its contact was being erased.
  delete from orders_to_erase t
  where t.order_id = any(listed)
    and not exists (select from orders o where o.order_id = t.order_id);
end $$;
