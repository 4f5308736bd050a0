-- How many jobs could be run now and are not, and for how long the oldest of them has been waiting.
select count(*) as waiting, coalesce(extract(epoch from now() - min(run_at)), 0) as oldest_seconds
from graphile_worker.jobs
where locked_at is null and run_at <= now() and attempts < max_attempts
