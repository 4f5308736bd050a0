-- What clients and the distributor keep with an order, a client or an item, under keys of their own.
alter table clients add metadata jsonb;
alter table items add metadata jsonb;

-- Of orders, a row for each key, so that orders are found by a pair, newest first: an index of a jsonb column would
-- read all orders that have the pair. An order without metadata costs nothing. order_create_datetime repeats that of
-- the order.
create table order_metadata (
  client_id bigint not null,
  order_id bigint not null,
  by_client boolean not null, -- Sent with the order, or kept by the distributor, which the client does not see.
  key text not null,
  value text not null,
  order_create_datetime timestamptz not null,
  constraint order_metadata_pkey primary key (client_id, order_id, by_client, key),
  constraint order_metadata_order foreign key (client_id, order_id) references orders
);
create index order_metadata_of_client -- orders-page.part.sql
  on order_metadata (client_id, key, value, order_create_datetime desc, order_id desc) where by_client;
create index order_metadata_of_all -- list-operator-orders.sql
  on order_metadata (key, value, order_create_datetime desc, order_id desc);

-- As in 0014_orders_to_erase.sql, and the distributor's metadata.
create or replace function erase_event_messages(erased_orders bigint[]) returns void
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
      update public.events e set data = e.data || '{"metadata": {}, "before": {}}'
      from public.orders_to_erase t
      where t.order_id = any(erased_orders) and e.client_id = t.client_id and e.order_id = t.order_id
        and e.event_type = 'order.metadata_changed' and e.data -> 'before' <> '{}';
    end
  $$;
