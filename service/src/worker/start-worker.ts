import { setTimeout as sleep } from 'node:timers/promises'
import type { Runner, RunnerOptions } from 'graphile-worker'
import type { Logger } from 'pino'
import type { Job } from './jobs.ts'
import { runJob } from './run-job.ts'
import type { Database } from 'pg-statements/database.ts'
import { jobQueueSchema, openJobQueuePool } from './job-queue.ts'

const jobsAtOnce = 4 // More than there are long jobs: one that takes its time does not hold up the others.
const runMsMax = 50_000 // Less than a minute: by the time a job is due again, its last run has ended.
const restartAfterMs = 2_000

export interface WorkerParts {
  readonly db: Database
  readonly databaseUrl: string
  readonly jobs: readonly Job[]
  readonly logger: Logger
}

export interface RunningWorker {
  /** Whether jobs are being taken from the queue. */
  readonly isWorking: () => boolean
  /** Lets the batches under way finish. */
  readonly stop: () => Promise<void>
}

/** Takes jobs from the queue and puts in those that are due, until it is stopped. Without its database it waits, and goes on by itself. */
export function startWorker(parts: WorkerParts): RunningWorker {
  const { databaseUrl, logger } = parts
  const stopping = new AbortController()
  const pool = openJobQueuePool(databaseUrl, (error) => logger.error({ err: error }, 'a connection of the queue broke'))
  let runner: Runner | undefined

  const work = async (): Promise<void> => {
    const library = await import('graphile-worker')
    while (!stopping.signal.aborted) {
      try {
        runner = await library.run({ ...optionsOf(library, parts, stopping.signal), pgPool: pool })
        stopOnTrouble(runner)
        if (stopping.signal.aborted) await runner.stop()
        else await runner.promise
      } catch (error) {
        logger.error({ err: error }, 'the queue cannot be reached; trying again')
      }
      runner = undefined
      await sleep(restartAfterMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const working = work()

  return {
    isWorking: () => runner !== undefined,
    stop: async () => {
      stopping.abort()
      await Promise.allSettled([runner?.stop()]) // It may have ended by itself in this moment.
      await working
      await pool.end()
    },
  }
}

/** A runner that was cut off from the database while it was starting never takes a job again; so one that could not look begins anew. */
function stopOnTrouble(runner: Runner): void {
  runner.events.once(
    'worker:getJob:error',
    () => void runner.stop('the queue could not be read').catch(() => undefined),
  )
}

function optionsOf(
  { Logger: QueueLogger, parseCronItems }: typeof import('graphile-worker'),
  { db, jobs, logger }: WorkerParts,
  stopping: AbortSignal,
): RunnerOptions {
  const task = (job: Job) => (): Promise<void> =>
    runJob(job, { db, logger, cutOff: AbortSignal.any([stopping, AbortSignal.timeout(runMsMax)]) })
  return {
    schema: jobQueueSchema,
    concurrency: jobsAtOnce,
    noHandleSignals: true,
    logger: new QueueLogger(() => (level, message, meta) => tell(logger, level, message, meta)),
    taskList: Object.fromEntries(jobs.map((job) => [job.name, task(job)])),
    // One waiting run of each job is enough. No named queues: the lock of a worker that was killed would hold one up for four hours.
    parsedCronItems: parseCronItems(
      jobs.map(({ name, schedule }) => ({ task: name, match: schedule, options: { jobKey: name } })),
    ),
    // With a delay, even of none, the end of a job is recorded again when the connection was lost; otherwise the process would end.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  }
}

/** What graphile-worker says, in our log: its failures are news, its successes are told by the job itself. */
function tell(logger: Logger, level: string, message: string, meta: Record<string, unknown>): void {
  const [line = ''] = message.split('\n', 1) // The stack follows in `err`.
  const ours = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug'
  logger[ours]({ err: meta['error'] }, line)
}
