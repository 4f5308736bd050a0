/** `npm start`: serves the API. All that an API process opens and starts is in this file. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { connectionOf, openMainDatabase } from './connection.ts'
import { onceStopped } from './once-stopped.ts'
import { openAuthenticator } from '../access/authenticate.ts'
import { clientKeys, operatorKeys } from '../access/key-kinds.ts'
import { makeApp, type TestOptions } from '../app.ts'
import { readConfig, type Config } from '../config.ts'
import { openWaitingReaders } from '../events/waiting-readers.ts'
import { metricsOfProcesses, ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { ownBuckets } from '../http/listening/rate-limit.ts'
import { sharedBuckets } from '../http/listening/shared-buckets.ts'
import { openShedding } from '../http/listening/shedding.ts'
import { importConnections, makeImportRunner } from '../imports/import-runner.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import type { Database } from 'pg-statements/database.ts'

/** Serves the API until SIGTERM or SIGINT. Then it accepts no new requests, finishes those in flight, and exits. */
export async function api(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const logger = makeLogger(config.logLevel)
  if (cluster.isPrimary && config.processes > 1) await supervise(config, logger)
  else await serveApi(config, logger)
}

async function serveApi(config: Config, logger: Logger): Promise<void> {
  const opened = new AsyncDisposableStack()
  collectDefaultMetrics()
  // With several processes, the main process serves their metrics.
  const metrics = cluster.isWorker ? undefined : await serveMetrics(config.host, config.metricsPort, ownMetrics)
  opened.defer(() => void metrics?.close())
  const db = openMainDatabase(config)
  opened.defer(() => db.close())
  const app = await openApi(db, config, logger, opened)
  const address = await app.listen({ host: config.host, port: config.port })
  logger.info({ address, metrics: metrics?.address() }, 'ready')
  onceStopped(logger, config, async () => {
    await opened.disposeAsync()
    if (cluster.isWorker) process.disconnect?.()
  })
}

const slowStatementTimeoutMs = 10 * 60_000 // The invariants of a database with millions of orders take minutes.

/** Opens the parts of the API besides its database, and the app on them. Disposing of `opened` closes all of them. */
export async function openApi(
  db: Database,
  config: Config,
  logger: Logger,
  opened: AsyncDisposableStack,
  { failOnUndeclaredRefusal, redisDeadlineMs }: TestOptions = {},
): Promise<FastifyInstance> {
  const connection = connectionOf(config)
  const slowDb = openDatabase({ ...connection, poolSize: 1, statementTimeoutMs: slowStatementTimeoutMs })
  opened.defer(() => slowDb.close())
  const importDb = openDatabase({ ...connection, ...importConnections })
  opened.defer(() => importDb.close())
  const imports = makeImportRunner(importDb, logger)
  opened.defer(() => imports.close())
  const keyUse = { keyUseIntervalMs: config.keyUseIntervalMs, logger }
  const clients = openAuthenticator(db, clientKeys, keyUse)
  opened.defer(() => clients.close())
  const operators = openAuthenticator(db, operatorKeys, keyUse)
  opened.defer(() => operators.close())
  const localBuckets = ownBuckets()
  const buckets =
    config.redisUrl === '' ? localBuckets : sharedBuckets(config.redisUrl, localBuckets, logger, redisDeadlineMs)
  opened.defer(() => buckets.close())
  const shedding = openShedding(config.shedAfterMs, () => db.expectedWaitMs())
  opened.defer(() => shedding.close())
  const readers = openWaitingReaders(db, logger)
  opened.defer(() => readers.close())

  const parts = { db, slowDb, clients, operators, imports, readers, shedding, buckets }
  const app = await makeApp(parts, config, logger, { failOnUndeclaredRefusal })
  opened.defer(() => app.close())
  return app
}

const restartAfterMs = 1_000 // A process that dies at its start is not restarted in a tight loop.

/** Starts the processes that share the port, replaces one that dies, and serves the metrics of all. */
async function supervise(config: Config, logger: Logger): Promise<void> {
  let stopping = false
  const metrics = await serveMetrics(config.host, config.metricsPort, metricsOfProcesses)
  logger.info({ processes: config.processes, metrics: metrics.address() }, 'starting')
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    logger.error({ pid: worker.process.pid, code, signal }, 'a process died and is being replaced')
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
