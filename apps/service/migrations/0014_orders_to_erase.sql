-- Orders of erased contacts. They keep what their delivery needs, so erase_contact.sql lists them here, and the worker
-- looks at each again and again (erase_addresses.sql): what is written into an old order later is erased as well. No
-- row is ever deleted.
create table orders_to_erase (
  client_id bigint not null,
  order_id bigint not null,
  look_at timestamptz not null default now(), -- When the worker looks at the order next.
  constraint orders_to_erase_pkey primary key (client_id, order_id)
);
create index orders_to_erase_by_look on orders_to_erase (look_at);

-- Erases the copies of cancellation messages in the events of these orders, if they are listed above: erase_addresses.
-- Security definer, since the role of the service may not change events.
create function erase_event_messages(erased_orders bigint[]) returns void
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    begin
      if not has_table_privilege(session_user, 'public.events', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table events';
      end if;
      update public.events e set data = e.data || '{"adjustment_canceled_message": ""}'
      from public.orders_to_erase t
      where t.order_id = any(erased_orders) and e.client_id = t.client_id and e.order_id = t.order_id
        and e.data ->> 'adjustment_canceled_message' <> '';
    end
  $$;
