-- Takes the due jobs among those given and moves each to its next run, so that of several processes one runs it.
-- A job that the table lacks is added, to run at its next time. The times are those of the database's clock.
with scheduled as (
  select job_name, date_bin(every, now(), timestamptz '2000-01-01 00:00+00' + after_midnight) + every as next_run_at
  from unnest(:job_names::text[], :every_minutes::bigint[], :offset_minutes::bigint[]) j (job_name, minutes, shift)
  cross join lateral (
    values (minutes * interval '1 minute', shift * interval '1 minute')
  ) schedule (every, after_midnight)
), added as (             -- "on conflict" alone would wait for a process that is just claiming the same job.
  insert into worker_jobs (job_name, next_run_at)
  select s.job_name, s.next_run_at
  from scheduled s
  where not exists (select from worker_jobs w where w.job_name = s.job_name)
  on conflict (job_name) do nothing
), due as (
  select job_name from worker_jobs
  where job_name = any (:job_names) and next_run_at <= now()
  for update skip locked
)
update worker_jobs w
set next_run_at = s.next_run_at, last_started_at = now()
from due
join scheduled s using (job_name)
where w.job_name = due.job_name
returning w.job_name
