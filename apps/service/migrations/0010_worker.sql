-- When each periodic job of the worker runs next. The jobs and their schedules are in service/src/worker/jobs.ts; the
-- worker adds a row for each. A migration that removes a job deletes its row: otherwise it counts as waiting forever.
create table worker_jobs (
  job_name text not null,
  next_run_at timestamptz not null,
  last_started_at timestamptz,
  last_ended_at timestamptz, -- Before last_started_at while a run is in progress, or when its process was killed.
  failures integer not null default 0, -- Of the last runs in a row.
  constraint worker_jobs_pkey primary key (job_name)
);
