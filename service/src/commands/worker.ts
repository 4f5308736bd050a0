/** `npm run worker`: runs the periodic jobs and delivers webhooks. All that a worker process opens and starts is in this file. */
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { connectionOf, openMainDatabase } from './connection.ts'
import { onceStopped } from './once-stopped.ts'
import { readConfig, type Config } from '../config.ts'
import { serveHealth } from '../http/listening/health.ts'
import { ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeServer } from '../http/listening/server.ts'
import { importConnections } from '../imports/import-runner.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal } from '../refusals.ts'
import { startWebhookDelivery } from '../webhooks/deliver-webhooks.ts'
import { resolveByNameServer, resolveBySystem } from '../webhooks/public-address.ts'
import { jobsOf } from '../worker/jobs.ts'
import { measureWaitingJobs } from '../worker/measure-waiting-jobs.ts'
import { startJobs, type RunningJobs } from '../worker/start-jobs.ts'

/** Works until SIGTERM or SIGINT. Then it finishes the batches and deliveries in progress, and exits. */
export async function worker(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const logger = makeLogger(config.logLevel)
  const opened = new AsyncDisposableStack()
  const db = openMainDatabase(config)
  opened.defer(() => db.close())
  collectDefaultMetrics()
  const metrics = await serveMetrics(config.host, config.workerMetricsPort, async () => {
    await measureWaitingJobs(db)
    return ownMetrics()
  })
  opened.defer(() => void metrics.close())
  const jobs = startWork(db, config, logger, opened)
  const health = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger })
  opened.defer(() => health.close())
  serveHealth(health, db, () => {
    if (!jobs.isLooking()) throw new Refusal('database_unavailable', {})
  })
  const address = await health.listen({ host: config.host, port: config.workerPort })
  logger.info({ address, metrics: metrics.address() }, 'ready')
  onceStopped(logger, config, () => opened.disposeAsync())
}

const deliveryConnections = 4 // Separate ones, so that no batch of a job delays a delivery.

/** Starts the jobs and the delivery of webhooks. Disposing of `opened` stops both. */
export function startWork(db: Database, config: Config, logger: Logger, opened: AsyncDisposableStack): RunningJobs {
  const connection = connectionOf(config)
  const { statementTimeoutMs, archiveAfterDays, eventsKeptDays } = config
  const importDb = openDatabase({ ...connection, ...importConnections })
  opened.defer(() => importDb.close())
  const deliveryDb = openDatabase({ ...connection, statementTimeoutMs, poolSize: deliveryConnections })
  opened.defer(() => deliveryDb.close())
  const jobs = startJobs({ db, jobs: jobsOf({ importDb, archiveAfterDays, eventsKeptDays }), logger })
  const delivery = startWebhookDelivery({
    db: deliveryDb,
    logger,
    policy: { allowHttp: config.webhooksAllowHttp, allowPrivate: config.webhooksAllowPrivate },
    resolve: config.webhooksAllowPrivate ? resolveBySystem : resolveByNameServer,
    stateLabels: config.stateLabels,
    leaseMs: config.webhookLeaseMs,
  })
  // Both at once: they share the grace time.
  opened.defer(async () => {
    await Promise.all([jobs.stop(), delivery.stop()])
  })
  return jobs
}
