-- Stores the events of the step `happened` with the numbers that the step `numbered` took: client_id, last_number
-- (before the first of them), event_transaction. Only a statement that itself changes the client's row includes this
-- part alone.
recorded as (
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id,
    n.last_number + row_number() over (partition by h.client_id order by h.place),
    h.event_type, h.order_id, h.data, :actor, :request_id
  from numbered n
  join happened h on h.client_id = n.client_id
