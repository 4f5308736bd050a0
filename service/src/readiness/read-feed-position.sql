-- Whether an event has a position that this server has not reached yet: the operators' feed would not show it.
select exists (
  select from events where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
) as is_ahead
