-- The columns of a client's row (c) that count its events, for a statement that also changes other columns of that
-- row: PostgreSQL applies only one update to a row in one statement. h.events is how many are to be recorded.
event_number = c.event_number + h.events,
    event_transaction = greatest(c.event_transaction, event_position(pg_current_xact_id()))
