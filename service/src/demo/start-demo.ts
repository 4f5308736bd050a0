/** Starts a database, the API, the worker and the metrics, one on top of the other. */
import { createServer, type AddressInfo } from 'node:net'
import type pg from 'pg'
import { pino, type Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { claimDatabase } from './claim-database.ts'
import { issueDemoKeys, type DemoKeys } from './demo-keys.ts'
import { DemoProblem } from './demo-problem.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { fillDatabase } from './fill-database.ts'
import { journeyOf, type Step } from './journey.ts'
import { makeApp } from '../app.ts'
import { readConfig, type Config } from '../config.ts'
import { ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeLogger } from '../log.ts'
import { openDatabase, type Database } from 'pg-statements/database.ts'
import { jobsOf } from '../worker/jobs.ts'
import { startDelivery } from '../worker/start-delivery.ts'
import { startWorker } from '../worker/start-worker.ts'

const closeGraceMs = 1_000 // Browsers hold connections open on which nothing is being asked.
const standardError = 2

export interface DemoOptions {
  readonly fresh: boolean
  /** Tells what is done next; throws when the demo is to stop instead. */
  readonly say: (step: string) => void
}

export interface RunningDemo {
  readonly baseUrl: string
  readonly metricsUrl: string
  readonly keys: DemoKeys
  readonly journey: readonly Step[]
}

/** Whatever has been started is left in `started`, also when this fails half-way. */
export async function startDemo(
  environment: NodeJS.ProcessEnv,
  { fresh, say }: DemoOptions,
  started: AsyncDisposableStack,
): Promise<RunningDemo> {
  const given = environment['DATABASE_URL']
  const config = readConfig({
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    WEBHOOKS_ALLOW_HTTP: 'true', // A receiver to try it with runs on the same machine.
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    SHED_AFTER_MS: 'off', // PostgreSQL, the demo and the browser share one machine, which may be slow; nobody is to be protected there.
    ...environment,
    DATABASE_URL: given ?? 'postgres://embedded',
  })
  await refuseBusyPort(config)

  const databaseUrl = given ?? (await startOwnPostgres(environment, { fresh, say }, started))
  const client = await connect(databaseUrl)
  started.defer(() => client.end())
  // A PostgreSQL of our own has already begun anew.
  await fillDatabase(client, databaseUrl, { fresh: fresh && given !== undefined, say })

  say('Starting the API')
  const db = openDatabase({ ...config, url: databaseUrl })
  started.defer(() => db.close())
  const keys = await issueDemoKeys(client, db)
  const metricsUrl = await startMetrics(config, started)
  const logger = makeLogger(config.logLevel, pino.destination({ dest: standardError, sync: true }))
  const baseUrl = await startApi({ ...config, databaseUrl }, db, logger, started)
  const worker = startWorker({ db, databaseUrl, jobs: jobsOf({ ...config, databaseUrl }), logger })
  started.defer(() => worker.stop())
  const delivery = startDelivery({ ...config, databaseUrl }, logger)
  started.defer(() => delivery.stop())
  return { baseUrl, metricsUrl, keys, journey: await journeyOf(client, baseUrl, keys.client_a) }
}

/** Says so before any work is done; the API itself comes last. */
async function refuseBusyPort({ host, port }: Config): Promise<void> {
  const server = createServer()
  await listening('PORT', { host, port }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject).listen(port, host, resolve)
    return promise
  })
  await new Promise((resolve) => server.close(resolve))
}

async function startOwnPostgres(
  environment: NodeJS.ProcessEnv,
  wish: DemoOptions,
  started: AsyncDisposableStack,
): Promise<string> {
  const postgres = await startEmbeddedPostgres(environment, wish)
  started.defer(() => postgres.stop())
  return postgres.url
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    return await claimDatabase(databaseUrl)
  } catch (error) {
    if (error instanceof DemoProblem) throw error
    const { message, code = '' } = error as NodeJS.ErrnoException
    throw new DemoProblem(`PostgreSQL cannot be reached: ${message || code}. Is DATABASE_URL right?`, { cause: error })
  }
}

async function startMetrics({ host, metricsPort }: Config, started: AsyncDisposableStack): Promise<string> {
  collectDefaultMetrics()
  const server = await listening('METRICS_PORT', { host, port: metricsPort }, () =>
    serveMetrics(host, metricsPort, ownMetrics),
  )
  started.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return `${addressOf(host, port)}/metrics`
}

async function startApi(config: Config, db: Database, logger: Logger, started: AsyncDisposableStack): Promise<string> {
  const { host, port } = config
  const app = await makeApp(db, config, logger)
  started.defer(async () => {
    const closing = app.close()
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref()
    await closing
  })
  await listening('PORT', { host, port }, () => app.listen({ host, port }))
  return addressOf(host, (app.server.address() as AddressInfo).port)
}

/** Where a client on this machine finds a server; one that listens on all addresses listens on the local one too. */
function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

async function listening<T>(
  variable: string,
  { host, port }: { host: string; port: number },
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const { code = '', syscall = '' } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new DemoProblem(
        `Port ${port} of ${host} is taken by another program: set ${variable} to another port, or to 0 for any free one.`,
      )
    }
    if (syscall === 'listen' || syscall === 'getaddrinfo')
      throw new DemoProblem(`Nothing can listen on port ${port} of ${host} (${code}): set HOST and ${variable}.`)
    throw error
  }
}
