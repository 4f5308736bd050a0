-- Numbers what has happened without gaps and stores it. The statement names what happened in a step `happened`: client_id, place (their
-- order, for each client), event_type, order_id, data. The client's row is locked here, as the last of all rows: `happened` must read
-- the steps that lock the others. A statement that changes several clients locks their rows by id before.
numbered as (
  update clients c set -- include number-events.part.sql
  from (select client_id, count(*) as events from happened group by client_id) h
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  -- include insert-events.part.sql
