-- Records the end of a run. A job that failed runs again after 2, 4, 8 ... seconds, but no later than it is due anyway.
update worker_jobs
set last_ended_at = now(),
  failures = case when :failed then failures + 1 else 0 end,
  next_run_at = case
    when :failed then least(next_run_at, now() + 2 ^ least(failures + 1, 10) * interval '1 second')
    else next_run_at
  end
where job_name = :job_name
