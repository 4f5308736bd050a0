import { Gauge } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, numeric } from 'pg-statements/types.ts'

/** How many jobs are due and not running yet, and how long the oldest of them has been due. */
const waitingJobsSql = shortStatement('waiting-jobs', {
  sql: `select count(*) as waiting, coalesce(extract(epoch from now() - min(next_run_at)), 0) as oldest_seconds
    from worker_jobs
    where next_run_at <= now()`,
  parameters: {},
  columns: { waiting: int8, oldest_seconds: numeric },
})

const waitingJobs = new Gauge({
  name: 'parts_worker_waiting_jobs',
  help: 'Jobs that are due and not running yet.',
})
const oldestSeconds = new Gauge({
  name: 'parts_worker_oldest_waiting_job_seconds',
  help: 'How long the oldest waiting job has been due; 0 when none is waiting.',
})

/** Updates both gauges. While the database is unreachable they are NaN. */
export async function measureWaitingJobs(db: Database): Promise<void> {
  const { waiting = NaN, oldest_seconds = NaN } = (await db.row(waitingJobsSql, {}).catch(() => undefined)) ?? {}
  waitingJobs.set(waiting)
  oldestSeconds.set(oldest_seconds)
}
