-- The position of a transaction's events in the order of all clients' events. It is the transaction's id, until the
-- database is moved or restored: then raise_event_positions adds a number to all later ids, since another server
-- counts its own. Nothing of it is stored with events, and positions that readers have kept stay valid.
create function event_position(transaction_id xid8) returns xid8 immutable language sql as 'select transaction_id';
