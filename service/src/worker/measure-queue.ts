import { Gauge } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, numeric } from 'pg-statements/types.ts'

const waitingJobsSql = statement(new URL('waiting-jobs.sql', import.meta.url), {
  parameters: {},
  columns: { waiting: int8, oldest_seconds: numeric },
})

const waitingJobs = new Gauge({
  name: 'parts_worker_waiting_jobs',
  help: 'Jobs that could be run now and are not.',
})
const oldestSeconds = new Gauge({
  name: 'parts_worker_oldest_waiting_job_seconds',
  help: 'For how long the oldest of them has been waiting; 0 when there is none.',
})

/** Brings both figures up to date. While the database cannot be asked they are not numbers. */
export async function measureQueue(db: Database): Promise<void> {
  const { waiting = NaN, oldest_seconds = NaN } = (await db.row(waitingJobsSql, {}).catch(() => undefined)) ?? {}
  waitingJobs.set(waiting)
  oldestSeconds.set(oldest_seconds)
}
