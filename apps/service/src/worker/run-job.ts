import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { Counter, Histogram } from 'prom-client'
import type { Job } from './jobs.ts'
import type { Database } from 'pg-statements/database.ts'

const jobSeconds = new Histogram({
  name: 'parts_worker_job_duration_seconds',
  help: 'Duration of a run of a job, by job and outcome (done, cut_off, failed).',
  labelNames: ['job', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
})
const jobRows = new Counter({
  name: 'parts_worker_job_rows_total',
  help: 'Rows handled by a job: orders archived, rows deleted, imports finished, expired keys recorded.',
  labelNames: ['job'],
})

/** Runs a job to its end, or to the end of the batch during which it was cut off. The caller reports a failure. */
export async function runJob(
  job: Job,
  {
    db,
    logger,
    cutOff,
    onRows = () => undefined,
  }: { db: Database; logger: Logger; cutOff: AbortSignal; onRows?: () => void },
): Promise<void> {
  const request_id = `${job.name}-${randomUUID()}`
  const started = performance.now()
  let rows = 0
  let outcome = 'failed'
  try {
    for await (const handled of job.run(db, { request_id, cutOff })) {
      rows += handled
      jobRows.inc({ job: job.name }, handled)
      if (handled > 0) onRows()
      if (cutOff.aborted) break
    }
    outcome = cutOff.aborted ? 'cut_off' : 'done'
  } finally {
    const ms = performance.now() - started
    jobSeconds.observe({ job: job.name, outcome }, ms / 1000)
    logger.info({ job: job.name, request_id, rows, ms: Math.round(ms), outcome }, 'job ended')
  }
}
