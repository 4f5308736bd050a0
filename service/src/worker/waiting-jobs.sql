-- How many jobs are due and not running yet, and how long the oldest of them has been due.
select count(*) as waiting, coalesce(extract(epoch from now() - min(next_run_at)), 0) as oldest_seconds
from worker_jobs
where next_run_at <= now()
