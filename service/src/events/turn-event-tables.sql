-- Drops events_before if all of its events are hidden, and sets `events` aside: the function of migration 0038.
select turn_event_tables(:kept_days) as outcome
