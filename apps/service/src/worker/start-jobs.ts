/**
 * The scheduler of the periodic jobs. Every process looks for due jobs from time to time; claim-jobs.sql gives each to one of
 * them. A run that is killed is repeated when its job is next due; a run that fails is retried sooner, with backoff.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Job } from './jobs.ts'
import { runJob } from './run-job.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8Array, text, textArray } from 'pg-statements/types.ts'

const claimJobsSql = statement(new URL('claim-jobs.sql', import.meta.url), {
  parameters: { job_names: textArray, every_minutes: int8Array, offset_minutes: int8Array },
  columns: { job_name: text },
})
const endJobSql = statement(new URL('end-job.sql', import.meta.url), {
  parameters: { job_name: text, failed: bool },
  columns: {},
})

/** Whether a statement of this name only keeps the schedule. */
export const isScheduling = (statement: string): boolean => [claimJobsSql.name, endJobSql.name].includes(statement)

const runMsMax = 50_000 // Less than the shortest schedule: when a job is due again, its last run has ended.

export interface JobParts {
  readonly db: Database
  readonly jobs: readonly Job[]
  readonly logger: Logger
  /** Called when a job has changed something. */
  readonly onRows?: () => void
  /** A job starts that much later than it is due, at most. */
  readonly lookEveryMs?: number
}

export interface RunningJobs {
  /** Whether the last look for due jobs succeeded. */
  readonly isLooking: () => boolean
  /** Lets the batches in progress finish. */
  readonly stop: () => Promise<void>
}

/** Runs jobs as they become due, until it is stopped. While the database is unreachable it keeps trying. */
export function startJobs({ db, jobs, logger, onRows = () => undefined, lookEveryMs = 1_000 }: JobParts): RunningJobs {
  const stopping = new AbortController()
  const running = new Map<Job, Promise<void>>()
  let looking: 'started' | 'succeeded' | 'failed' = 'started'

  async function look(): Promise<void> {
    const idle = jobs.filter((job) => !running.has(job))
    const claimed = await db.rows(claimJobsSql, {
      job_names: idle.map(({ name }) => name),
      every_minutes: idle.map(({ everyMinutes }) => everyMinutes),
      offset_minutes: idle.map(({ offsetMinutes = 0 }) => offsetMinutes),
    })
    for (const { job_name } of claimed) {
      const job = idle.find(({ name }) => name === job_name)
      if (job !== undefined) running.set(job, run(job))
    }
  }

  async function run(job: Job): Promise<void> {
    try {
      const failed = await fails(job)
      await db.rows(endJobSql, { job_name: job.name, failed })
    } catch (error) {
      logger.error({ err: error, job: job.name }, 'the end of a job was not recorded')
    } finally {
      running.delete(job)
    }
  }

  async function fails(job: Job): Promise<boolean> {
    try {
      await runJob(job, {
        db,
        logger,
        onRows,
        cutOff: AbortSignal.any([stopping.signal, AbortSignal.timeout(runMsMax)]),
      })
      return false
    } catch (error) {
      logger.error({ err: error, job: job.name }, 'job failed')
      return true
    }
  }

  async function lookUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look()
        if (looking === 'failed') logger.info('looking for due jobs again')
        looking = 'succeeded'
      } catch (error) {
        if (looking !== 'failed') logger.error({ err: error }, 'cannot look for due jobs; retrying')
        looking = 'failed'
      }
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = lookUntilStopped()

  return {
    isLooking: () => looking === 'succeeded',
    stop: async () => {
      stopping.abort()
      await ended
      await Promise.all(running.values())
    },
  }
}
