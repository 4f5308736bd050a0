-- Numbers events without gaps and stores them. The statement lists them in a step `happened` with the columns
-- client_id, place (the order of a client's events), event_type, order_id and data.
-- The client's row is locked here and must be the last lock of the statement: `happened` has to read from the steps
-- that lock other rows. A statement that changes several clients must lock their rows by id in a step before.
-- `greatest` keeps a client's events in the same order by transaction, as in the feed, and by number: a transaction
-- gets its id at its first write, so the one that is numbered later may have the smaller id.
numbered as (
  update clients c set event_number = c.event_number + h.events,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from (select client_id, count(*) as events from happened group by client_id) h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id,
    n.last_number + row_number() over (partition by h.client_id order by h.place),
    h.event_type, h.order_id, h.data, :actor, :request_id
  from numbered n
  join happened h on h.client_id = n.client_id
