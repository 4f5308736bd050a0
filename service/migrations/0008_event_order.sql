-- A client's events are numbered last in their statements, but a statement's transaction is numbered at its first write: of two that
-- overlap, the older may get the later number. The client remembers the youngest of its transactions, so that positions follow numbers.
alter table clients add column event_transaction xid8 not null default '0';
