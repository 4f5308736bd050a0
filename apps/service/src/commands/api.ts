/** `npm start`: serves the API. All that an API process opens and starts is in this file. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { warnOfPlainSecrets } from './check-secret-keys.ts'
import { checkStart } from './check-start.ts'
import { connectionOf, openMainDatabase } from './connection.ts'
import { listening, refuseBusyPort, type ListenAt } from './listen.ts'
import { onceStopped } from './once-stopped.ts'
import { clientShare, operatorShare } from '../identity/actor.ts'
import { openAuthenticator } from '../identity/authenticate.ts'
import { clientKeys, operatorKeys } from '../identity/key-kinds.ts'
import { makeApp, type ServedSide, type TestOptions } from '../serve-app.ts'
import { readSettings } from './read-settings.ts'
import { metricsHostOf, operatorHostOf, type Config } from '../config.ts'
import { openHintSender, type HintSender } from '../events/change-hints.ts'
import { openWaitingReaders } from '../events/waiting-readers.ts'
import type { Drain } from '../http/listening/accept.ts'
import { metricsOfProcesses, ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { ownBuckets } from '../http/limits/rate-limit.ts'
import { sharedBuckets } from '../http/limits/shared-buckets.ts'
import { openShedding } from '../http/limits/shedding.ts'
import { importConnections, makeImportRunner } from '../imports/import-runner.ts'
import { sessionTokenOf } from '../sessions/session-cookie.ts'
import { operatorSessions } from '../sessions/session-kind.ts'
import { makeLogger } from '../log.ts'
import { wholeTables } from '../invariants/check-invariants.ts'
import { openDatabase } from '../open-database.ts'
import { serviceVersion } from '../build-info.ts'
import { openTracer } from '../telemetry/tracer.ts'
import type { Database } from 'pg-statements/database.ts'

/** Serves the API until SIGTERM or SIGINT. Then it accepts no new requests, finishes those in flight, and exits. */
export async function api(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readSettings(environment)
  const logger = makeLogger(config.logLevel)
  if (cluster.isPrimary) await checkStart(config)
  if (cluster.isPrimary && config.processes > 1) await supervise(config, logger)
  else await serveApi(config, logger)
}

/** What the worker does, in the process of the API. */
type Work = (typeof import('./worker.ts'))['work']

/** As `api`, and does the worker's work in the same process. PROCESSES and the worker's ports are not used. */
export async function apiWithWorker(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readSettings(environment)
  const logger = makeLogger(config.logLevel)
  await checkStart(config)
  await serveApi(config, logger, (await import('./worker.ts')).work) // Loaded only here: it registers metrics.
}

async function serveApi(config: Config, logger: Logger, work?: Work): Promise<void> {
  const opened = new AsyncDisposableStack()
  collectDefaultMetrics()
  // With several processes, the main process serves their metrics.
  let hints: HintSender | undefined
  const db = openMainDatabase(config, {
    onChange: (statement) => work?.isScheduling(statement) === true || hints?.note(),
  })
  opened.defer(() => db.close())
  hints = openHintSender(db)
  opened.defer(() => hints?.close())
  const metricsNow = async (): Promise<string> => {
    await work?.measure(db)
    return ownMetrics()
  }
  const metrics = cluster.isWorker ? undefined : await listenForMetrics(config, metricsNow)
  opened.defer(() => void metrics?.close())
  const drain: Drain = { isStarted: false }
  const { app, operatorApp } = await openApps(db, config, logger, opened, { drain })
  const address = await listen(app, { host: config.host, port: config.port, variable: 'PORT' })
  const operators =
    operatorApp &&
    (await listen(operatorApp, {
      host: operatorHostOf(config),
      port: config.operatorPort ?? 0,
      variable: 'OPERATOR_PORT',
    }))
  work?.start(db, config, logger, opened)
  if (cluster.isPrimary) warnOfPlainSecrets(config, logger)
  logger.info({ address, operators, metrics: metrics?.address() }, 'ready')
  onceStopped(logger, config, {
    drain: () => void (drain.isStarted = true),
    close: async () => {
      await opened.disposeAsync()
      if (cluster.isWorker) process.disconnect?.()
    },
  })
}

const listen = (app: FastifyInstance, at: ListenAt): Promise<string> =>
  listening(at, () => app.listen({ host: at.host, port: at.port }))

function listenForMetrics(config: Config, metrics: () => Promise<string>): Promise<Server> {
  const at = { host: metricsHostOf(config), port: config.metricsPort, variable: 'METRICS_PORT' }
  return listening(at, () => serveMetrics(at.host, at.port, metrics))
}

const slowStatementTimeoutMs = 10 * 60_000 // The invariants of a database with millions of orders take minutes.

const keyConnections = 2 // One reads, one writes. No lock that requests wait for delays the check of a key.

const sessionUseIntervalMsDefault = 60_000 // A session may be idle for a few minutes at least, so this is precise enough.

interface ApiOptions extends TestOptions {
  /** Started by the caller some time before it closes the app. */
  readonly drain?: Drain
}

/** The app of a process that serves clients and operators on one port. */
export async function openApi(...[db, config, ...rest]: Parameters<typeof openApps>): Promise<FastifyInstance> {
  return (await openApps(db, { ...config, operatorPort: null }, ...rest)).app
}

/**
 * Opens the parts of the API besides its database, and the apps on them: one, or with OPERATOR_PORT another for operators.
 * Disposing of `opened` closes all of them.
 */
async function openApps(
  db: Database,
  config: Config,
  logger: Logger,
  opened: AsyncDisposableStack,
  {
    drain = { isStarted: false },
    failOnUndeclaredRefusal,
    redisDeadlineMs,
    sessionUseIntervalMs = sessionUseIntervalMsDefault,
    boundedEntriesMs,
    checkReadyEachTime,
  }: ApiOptions = {},
): Promise<{ app: FastifyInstance; operatorApp?: FastifyInstance }> {
  const connection = connectionOf(config)
  const slowDb = openDatabase({
    ...connection,
    poolSize: 1,
    statementTimeoutMs: slowStatementTimeoutMs,
    sessionSettings: wholeTables,
  })
  opened.defer(() => slowDb.close())
  const importDb = openDatabase({ ...connection, ...importConnections })
  opened.defer(() => importDb.close())
  const imports = makeImportRunner(importDb, logger)
  opened.defer(() => imports.close())
  const keysDb = openDatabase({
    ...connection,
    statementTimeoutMs: config.statementTimeoutMs,
    poolSize: keyConnections,
  })
  opened.defer(() => keysDb.close())
  const { keyDaysMax } = config
  const keyUse = { keyUseIntervalMs: config.keyUseIntervalMs, keyDaysMax, logger }
  const clients = openAuthenticator(keysDb, clientKeys, keyUse)
  opened.defer(() => clients.close())
  const operators = openAuthenticator(keysDb, operatorKeys, keyUse)
  opened.defer(() => operators.close())
  const sessionUse = { keyUseIntervalMs: Math.min(config.keyUseIntervalMs, sessionUseIntervalMs), keyDaysMax, logger }
  const sessions = openAuthenticator(keysDb, operatorSessions, sessionUse)
  opened.defer(() => sessions.close())
  const localBuckets = ownBuckets()
  const buckets =
    config.redisUrl === '' ? localBuckets : sharedBuckets(config.redisUrl, localBuckets, logger, redisDeadlineMs)
  opened.defer(() => buckets.close())
  const shedding = openShedding(config.shedAfterMs, {
    waitMs: () => db.load(),
    causedBy: (headers) => {
      const client = clients.guess(headers.authorization)
      if (client !== undefined) return db.loadOf(clientShare(client))
      const operator =
        operators.guess(headers.authorization) ?? sessions.guess(sessionTokenOf(headers, config.consoleOrigin))
      return operator === undefined ? 0 : db.loadOf(operatorShare(operator))
    },
  })
  opened.defer(() => shedding.close())
  const tracer = openTracer({
    endpoint: config.traceEndpoint,
    ratio: config.traceRatio,
    serviceName: config.traceServiceName,
    serviceVersion,
    logger,
  })
  opened.defer(() => tracer?.close())
  const readers = openWaitingReaders(db, logger)
  opened.defer(() => readers.close())

  const parts = { db, keysDb, slowDb, clients, operators, sessions, imports, readers, shedding, buckets, drain, tracer }
  const open = async (...sides: ServedSide[]): Promise<FastifyInstance> => {
    const app = await makeApp(parts, config, logger, sides, {
      failOnUndeclaredRefusal,
      boundedEntriesMs,
      checkReadyEachTime,
    })
    opened.defer(() => app.close())
    return app
  }
  if (config.operatorPort === null) return { app: await open('clients', 'operators') }
  return { app: await open('clients'), operatorApp: await open('operators') }
}

const restartAfterMs = 1_000 // A process that dies at its start is not restarted in a tight loop.

/** Starts the processes that share the port, replaces one that dies, and serves the metrics of all. */
async function supervise(config: Config, logger: Logger): Promise<void> {
  let stopping = false
  await refuseBusyPort({ host: config.host, port: config.port, variable: 'PORT' }) // A process that dies is replaced.
  const metrics = await listenForMetrics(config, metricsOfProcesses)
  warnOfPlainSecrets(config, logger)
  logger.info({ processes: config.processes, metrics: metrics.address() }, 'starting')
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    logger.error({ pid: worker.process.pid, code, signal }, 'a process died and is being replaced')
    setTimeout(() => stopping || cluster.fork(), restartAfterMs)
  })
  for (let n = 0; n < config.processes; n++) cluster.fork()
  onceStopped(logger, config, {
    // The processes drain for the shutdown delay themselves, each on its own.
    close: async () => {
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
    },
  })
}
