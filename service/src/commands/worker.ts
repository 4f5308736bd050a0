import { collectDefaultMetrics } from 'prom-client'
import { onceStopped } from './once-stopped.ts'
import { readConfig } from '../config.ts'
import { serveHealth } from '../http/listening/health.ts'
import { ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeServer } from '../http/listening/server.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from 'pg-statements/database.ts'
import { Refusal } from '../refusals.ts'
import { jobsOf } from '../worker/jobs.ts'
import { measureQueue } from '../worker/measure-queue.ts'
import { startWorker } from '../worker/start-worker.ts'
import { startDelivery } from '../worker/start-delivery.ts'

/** Does what needs time, until SIGTERM or SIGINT: then finishes the batches under way, and ends. */
export async function worker(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const logger = makeLogger(config.logLevel)
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const health = makeServer({ ...config, logger })
  const metrics = await serveMetrics(config.host, config.workerMetricsPort, async () => {
    await measureQueue(db)
    return ownMetrics()
  })
  collectDefaultMetrics()
  const working = startWorker({ db, databaseUrl: config.databaseUrl, jobs: jobsOf(config), logger })
  const delivering = startDelivery(config, logger)
  serveHealth(health, db, () => {
    if (!working.isWorking()) throw new Refusal('database_unavailable', {})
  })
  const address = await health.listen({ host: config.host, port: config.workerPort })
  logger.info({ address, metrics: metrics.address() }, 'ready')
  onceStopped(logger, config, async () => {
    await Promise.all([health.close(), working.stop(), delivering.stop()])
    await db.close()
    metrics.close()
  })
}
