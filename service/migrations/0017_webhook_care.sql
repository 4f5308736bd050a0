-- An endpoint is deleted without its log, which may have millions of entries: nobody sees them any more, and the sweep deletes them in time.
alter table webhook_deliveries drop constraint webhook_deliveries_webhook;
-- Test events are sent in the order in which they were asked for.
create index webhook_tests_by_age on webhook_tests (requested_at);

-- Up to where the feed of all events has expired: whoever comes with an older cursor has missed something. One row, as soon as
-- something has. The generation counts how often positions were given anew: cursors of an earlier one lead nowhere.
create table event_feed (
  is_one boolean not null default true,
  generation integer not null default 0,
  expired_transaction xid8 not null,
  expired_client bigint not null,
  expired_number bigint not null,
  constraint event_feed_pkey primary key (is_one),
  constraint event_feed_is_one check (is_one)
);
