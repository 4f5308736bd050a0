-- Numbers what has happened without gaps and stores it. The statement names what happened in a step `happened`: client_id, place (their
-- order, for each client), event_type, order_id, data. The client's row is locked here, as the last of all rows: `happened` must read
-- the steps that lock the others. A statement that changes several clients locks their rows by id before.
numbered as (
  update clients c set event_number = c.event_number + h.events,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from (select client_id, count(*) as events from happened group by client_id having count(*) > 0) h -- few-rows hint
  where c.client_id = h.client_id
  returning c.client_id, c.event_number - h.events as last_number, c.event_transaction
), recorded as (
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id, n.last_number + row_number() over (partition by h.client_id order by h.place),
    h.event_type, h.order_id, h.data, :actor, :request_id
  from numbered n
  join happened h on h.client_id = n.client_id
