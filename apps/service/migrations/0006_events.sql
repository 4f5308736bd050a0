-- What happened, numbered for each client without gaps. actor and request_id make it the audit log as well.
-- transaction_id orders the events of all clients: everything before the oldest running transaction is complete.
create table events (
  client_id bigint not null,
  event_number bigint not null,
  event_type text not null,
  event_datetime timestamptz not null default now(),
  transaction_id xid8 not null default pg_current_xact_id(),
  order_id bigint,
  data jsonb not null,
  actor text not null,
  request_id text not null,
  constraint events_pkey primary key (client_id, event_number),
  constraint events_order foreign key (client_id, order_id) references orders
);
create index events_of_all on events (transaction_id, client_id, event_number);

-- Up to where the feed of all events has expired: a reader with an older cursor has missed events. One row, once
-- something has expired. generation counts how often positions were renumbered: cursors of an earlier generation are
-- refused.
create table event_feed (
  is_one boolean not null default true,
  generation integer not null default 0,
  expired_transaction xid8 not null,
  expired_client bigint not null,
  expired_number bigint not null,
  constraint event_feed_pkey primary key (is_one),
  constraint event_feed_is_one check (is_one)
);
