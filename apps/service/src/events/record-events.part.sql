-- Numbers events without gaps and stores them. The statement lists them in a step `happened` with the columns
-- client_id, place (the order of a client's events), event_type, order_id and data.
-- The client's row is locked here, after all other existing rows of the statement: `happened` has to read from the
-- steps that lock them (lock order: decision 3). A statement that changes several clients must lock their rows by id in
-- a step before.
-- The include ends in an open parenthesis: the statement closes it and may go on with further steps.
-- The statement also takes the parameters actor and request_id, which are stored with each event.
-- `greatest` keeps a client's events in the same order by transaction, as in the feed, and by number: a transaction
-- gets its id at its first write, so the one that is numbered later may have the smaller id.
numbered as (
  update clients c set -- include number-events.part.sql
  from (select client_id, count(*) as events from happened group by client_id) h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  -- include insert-events.part.sql
