-- Moves the clock of this session, and lets PostgreSQL count what the session has changed so far.
select set_config('bench.shift', :shift, false) as shift from pg_stat_force_next_flush()
