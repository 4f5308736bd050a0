-- One order over all clients' events: by the transaction that wrote them, which is known to be complete once all older ones have ended.
-- Events from before this migration come first.
alter table events add column transaction_id xid8 not null default '0';
alter table events alter column transaction_id set default pg_current_xact_id();
create index events_of_all on events (transaction_id, client_id, event_number);
