-- Lets later events have positions after all that were ever given, by this server or another: from now on positions
-- begin at the present time in microseconds. No server uses a million transaction ids a second, so the clock stays
-- ahead of the positions, also of those that a restore has lost. Only the owner of event_position may do it.
create or replace function raise_event_positions() returns void language plpgsql as $$
declare
  added bigint;
begin
  lock table clients in share row exclusive mode; -- Those who store events wait.
  select greatest(max(c.event_transaction::text::bigint) + 1, extract(epoch from clock_timestamp()) * 1000000)
    - pg_current_xact_id()::text::bigint
  into added
  from clients c;
  execute format('create or replace function event_position(transaction_id xid8) returns xid8 immutable language sql
    as $f$ select (transaction_id::text::bigint + %s)::text::xid8 $f$', added);
end $$;
