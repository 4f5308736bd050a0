/** `npm run worker`: runs the periodic jobs and delivers webhooks. All that a worker process opens and starts is in this file. */
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { warnOfPlainSecrets } from './check-secret-keys.ts'
import { checkStart } from './check-start.ts'
import { connectionOf, openMainDatabase } from './connection.ts'
import { listening, refuseBusyPort } from './listen.ts'
import { onceStopped } from './once-stopped.ts'
import { readSettings } from './read-settings.ts'
import { listenForHints, openHintSender } from '../events/change-hints.ts'
import { metricsHostOf, type Config } from '../config.ts'
import { serveHealth } from '../http/listening/health.ts'
import { ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeServer } from '../http/listening/server.ts'
import { importConnections } from '../imports/import-runner.ts'
import { makeLogger } from '../log.ts'
import { lostConnections, openDatabase } from '../open-database.ts'
import { serviceVersion } from '../build-info.ts'
import { openTracer } from '../telemetry/tracer.ts'
import type { Database } from 'pg-statements/database.ts'
import { readyCheck } from '../readiness/check-ready.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { startWebhookDelivery } from '../webhooks/delivery/deliver-webhooks.ts'
import { startFeedPush } from '../webhooks/feed-endpoints/push-feed.ts'
import { resolveByNameServer, resolveBySystem } from '../webhooks/public-address.ts'
import { makeSecretBox } from '../webhooks/secrets/secret-box.ts'
import { jobsOf } from '../worker/jobs.ts'
import { measureBacklog } from '../worker/measure-backlog.ts'
import { measureWaitingJobs } from '../worker/measure-waiting-jobs.ts'
import { isScheduling, startJobs, type RunningJobs } from '../worker/start-jobs.ts'

/** Works until SIGTERM or SIGINT. Then it finishes the batches and deliveries in progress, and exits. */
export async function worker(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readSettings(environment)
  const logger = makeLogger(config.logLevel)
  await checkStart(config)
  const { host, workerPort, workerMetricsPort } = config
  await refuseBusyPort({ host, port: workerPort, variable: 'WORKER_PORT' }) // Before any work is started.
  const opened = new AsyncDisposableStack()
  const db = openMainDatabase(config)
  opened.defer(() => db.close())
  collectDefaultMetrics()
  const metricsHost = metricsHostOf(config)
  const metrics = await listening({ host: metricsHost, port: workerMetricsPort, variable: 'WORKER_METRICS_PORT' }, () =>
    serveMetrics(metricsHost, workerMetricsPort, async () => {
      await Promise.all([measureWaitingJobs(db), measureBacklog(db)])
      return ownMetrics()
    }),
  )
  opened.defer(() => void metrics.close())
  const jobs = startWork(db, config, logger, opened)
  const drain = { isStarted: false }
  const health = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger, drain })
  opened.defer(() => health.close())
  const checkDatabase = readyCheck(db, lostConnections)
  serveHealth(health, drain, async () => {
    await checkDatabase()
    if (!jobs.isLooking()) throw new Refusal('not_ready', { problem: 'The worker cannot look for due jobs.' })
  })
  const address = await listening({ host, port: workerPort, variable: 'WORKER_PORT' }, () =>
    health.listen({ host, port: workerPort }),
  )
  warnOfPlainSecrets(config, logger)
  logger.info({ address, metrics: metrics.address() }, 'ready')
  onceStopped(logger, config, { close: () => opened.disposeAsync() })
}

const jobsLookEveryMs = 30_000 // Jobs are due each minute at most.
const deliveryConnections = 4 // Separate ones, so that no batch of a job delays a delivery.

/** Starts the jobs and the delivery of webhooks. Disposing of `opened` stops both. */
export function startWork(db: Database, config: Config, logger: Logger, opened: AsyncDisposableStack): RunningJobs {
  const connection = connectionOf(config)
  const { statementTimeoutMs, archiveAfterDays, eraseAddressesAfterDays } = config
  const { eventsKeptDays, auditDays, ordersKeptDays, catalogueChangesKeptDays, importsKeptDays } = config
  const box = makeSecretBox(config.webhookSecretKeys)
  const importDb = openDatabase({ ...connection, ...importConnections })
  opened.defer(() => importDb.close())
  const deliveryDb = openDatabase({ ...connection, statementTimeoutMs, poolSize: deliveryConnections })
  opened.defer(() => deliveryDb.close())
  const hints = openHintSender(db)
  opened.defer(() => hints.close())
  const jobs = startJobs({
    db,
    onRows: () => hints.note(),
    lookEveryMs: jobsLookEveryMs,
    jobs: jobsOf({
      importDb,
      archiveAfterDays,
      eraseAddressesAfterDays,
      eventsKeptDays,
      auditDays,
      ordersKeptDays,
      catalogueChangesKeptDays,
      importsKeptDays,
      box,
    }),
    logger,
  })
  const tracer = openTracer({
    endpoint: config.traceEndpoint,
    ratio: config.traceRatio,
    serviceName: config.traceServiceName,
    serviceVersion,
    logger,
  })
  opened.defer(() => tracer?.close())
  const delivery = startWebhookDelivery({
    db: deliveryDb,
    logger,
    policy: { allowHttp: config.webhooksAllowHttp, allowPrivate: config.webhooksAllowPrivate },
    resolve: config.webhooksAllowPrivate ? resolveBySystem : resolveByNameServer,
    stateLabels: config.stateLabels,
    leaseMs: config.webhookLeaseMs,
    startFeedPush,
    box,
    listenForHints: (onHint) => listenForHints({ ...connection, statementTimeoutMs }, onHint),
    ...(tracer === undefined ? {} : { tracer }),
  })
  // Both at once: they share the grace time.
  opened.defer(async () => {
    await Promise.all([jobs.stop(), delivery.stop()])
  })
  return jobs
}

/** For an API process that does the worker's work too. */
export const work = {
  start: startWork,
  isScheduling,
  measure: (db: Database): Promise<unknown> => Promise.all([measureWaitingJobs(db), measureBacklog(db)]),
}
