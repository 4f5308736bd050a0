-- Numbers events of a client without gaps and stores them. Its row is locked here, after all other rows of the
-- operation. `greatest` keeps a client's events in the same order by transaction, as in the feed, and by number: a
-- transaction gets its id at its first write, so the one that is numbered later may have the smaller id.
create or replace function record_events(
  client bigint, event_types text[], data jsonb[], actor text, request_id text
) returns void language plpgsql as $$
declare
  numbered record;
begin
  update clients n set event_number = n.event_number + cardinality(event_types),
    event_transaction = greatest(n.event_transaction, pg_current_xact_id())
  where n.client_id = client
  returning n.event_number - cardinality(event_types) as last_number, n.event_transaction into numbered;

  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select numbered.event_transaction, client, numbered.last_number + e.place, e.event_type, null, e.data,
    record_events.actor, record_events.request_id
  from unnest(event_types, record_events.data) with ordinality e (event_type, data, place);
end $$;
