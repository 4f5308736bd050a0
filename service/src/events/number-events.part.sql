-- Takes the next h.events numbers of the client's row c. Readers of the feed go by event_transaction, which never
-- decreases.
event_number = c.event_number + h.events, event_transaction = greatest(c.event_transaction, pg_current_xact_id())
