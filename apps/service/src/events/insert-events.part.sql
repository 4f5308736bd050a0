-- Stores what has happened under the numbers that the step `numbered` has drawn: client_id, last_number,
-- event_transaction.
insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select n.event_transaction, n.client_id,
    n.last_number + row_number() over (partition by h.client_id order by h.place),
    h.event_type, h.order_id, h.data, :actor, :request_id
  from numbered n
  join happened h on h.client_id = n.client_id
