import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { onceStopped } from './once-stopped.ts'
import { makeApp } from '../app.ts'
import { readConfig, type Config } from '../config.ts'
import { metricsOfWorkers, ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from 'pg-statements/database.ts'

/** Serves the API until SIGTERM or SIGINT: then takes no new requests, finishes those under way, and ends. */
export async function api(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const logger = makeLogger(config.logLevel)
  if (cluster.isPrimary && config.processes > 1) await supervise(config, logger)
  else await serveApi(config, logger)
}

async function serveApi(config: Config, logger: Logger): Promise<void> {
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const app = await makeApp(db, config, logger)
  collectDefaultMetrics()
  // The main process shows the metrics of its workers.
  const metrics = cluster.isWorker ? undefined : await serveMetrics(config.host, config.metricsPort, ownMetrics)
  const address = await app.listen({ host: config.host, port: config.port })
  logger.info({ address, metrics: metrics?.address() }, 'ready')
  onceStopped(logger, config, async () => {
    await app.close()
    await db.close()
    metrics?.close()
    if (cluster.isWorker) process.disconnect?.()
  })
}

const restartAfterMs = 1_000 // A worker that cannot live is not started over and over without a pause.

/** Starts the workers, which share the port, replaces one that dies, and shows their metrics together. */
async function supervise(config: Config, logger: Logger): Promise<void> {
  let stopping = false
  const metrics = await serveMetrics(config.host, config.metricsPort, metricsOfWorkers)
  logger.info({ processes: config.processes, metrics: metrics.address() }, 'starting')
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    logger.error({ pid: worker.process.pid, code, signal }, 'a process has died and is replaced')
    setTimeout(() => stopping || cluster.fork(), restartAfterMs)
  })
  for (let n = 0; n < config.processes; n++) cluster.fork()
  onceStopped(logger, config, async () => {
    stopping = true
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      workers.map(async (worker) => {
        const gone = once(worker, 'exit')
        worker.process.kill('SIGTERM')
        await gone
      }),
    )
    metrics.close()
  })
}
