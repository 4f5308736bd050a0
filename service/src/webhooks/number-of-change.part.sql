-- The next number in the client's log, for an endpoint that was changed.
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from changed w
  where c.client_id = w.client_id
  returning c.event_number, c.event_transaction
