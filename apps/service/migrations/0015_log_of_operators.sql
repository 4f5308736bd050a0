-- outside a transaction
-- For list-log.sql: the events of an operator, whichever key or session it used.
create index concurrently events_of_operator_id
  on events (split_part(actor, ' ', 2), event_datetime, client_id, event_number) where actor like 'operator %';
create index concurrently events_of_operator_id_before
  on events_before (split_part(actor, ' ', 2), event_datetime, client_id, event_number) where actor like 'operator %';
drop index concurrently if exists events_of_operator;
drop index concurrently if exists events_of_operator_before;
