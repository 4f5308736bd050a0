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
