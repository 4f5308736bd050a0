/** Opens and starts the parts of the demo: PostgreSQL, its data, the metrics, the API and the worker, in one process. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { openApi } from './api.ts'
import { openMainDatabase } from './connection.ts'
import { listening, localUrl, refuseBusyPort } from './listen.ts'
import { startWork } from './worker.ts'
import { isConsoleBuilt } from '../console/serve-console.ts'
import { metricsHostOf, readConfig } from '../config.ts'
import { addExamples } from '../demo/add-examples.ts'
import { connectDemo } from '../demo/claim-database.ts'
import { isLoopback, issueDemoKeys, type DemoKeys } from '../demo/demo-keys.ts'
import { startEmbeddedPostgres } from '../demo/embedded-postgres.ts'
import { fillDatabase } from '../demo/fill-database.ts'
import { journeyOf, type Step } from '../demo/journey.ts'
import { playTrade } from '../demo/play-trade.ts'
import { ownMetrics, serveMetrics } from '../http/listening/metrics.ts'
import { makeLogger } from '../log.ts'

const closeGraceMs = 1_000 // Browsers keep idle connections open.
const standardError = 2

export interface DemoOptions {
  readonly fresh: boolean
  /** Simulates traffic. */
  readonly live?: boolean
  /** Shows the next step; throws when the demo is to stop instead. */
  readonly say: (step: string) => void
}

export interface RunningDemo {
  readonly baseUrl: string
  /** Whether the keys are the same at the next start. */
  readonly keysAreKnown: boolean
  readonly rateLimit: boolean
  readonly metricsUrl: string
  readonly keys: DemoKeys
  readonly journey: readonly Step[]
}

/** Everything that was started is in `opened`, also when this fails half-way. */
export async function startDemo(
  environment: NodeJS.ProcessEnv,
  { fresh, live = false, say }: DemoOptions,
  opened: AsyncDisposableStack,
): Promise<RunningDemo> {
  const ownDatabaseUrl = environment['DATABASE_URL']
  const settings = readConfig({
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    WEBHOOKS_ALLOW_HTTP: 'true', // A receiver to try webhooks with runs on the same machine.
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: 'off', // A loop or a test suite against the demo is nobody's flood.
    FAILED_KEYS_PER_MINUTE: 'off',
    KEYLESS_PER_SECOND: 'off',
    SHED_AFTER_MS: 'off', // PostgreSQL, the demo and the browser share one machine, which may be slow.
    ...environment,
    DATABASE_URL: ownDatabaseUrl ?? 'postgres://embedded',
  })
  const { host, port, metricsPort } = settings
  await refuseBusyPort({ host, port, variable: 'PORT' })
  if (!isConsoleBuilt()) {
    say('Building the console')
    await promisify(execFile)('npm', ['run', 'build', '-w', 'console'], {
      cwd: new URL('../../../../', import.meta.url),
    })
  }

  const postgres =
    ownDatabaseUrl === undefined ? await startEmbeddedPostgres(environment, { owner: 'demo', fresh, say }) : undefined
  opened.defer(() => postgres?.stop())
  const config = { ...settings, databaseUrl: postgres?.url ?? settings.databaseUrl }
  const client = await connectDemo(config.databaseUrl)
  opened.defer(() => client.end())
  // With `fresh`, an embedded PostgreSQL is empty already.
  await fillDatabase(client, config.databaseUrl, { fresh: fresh && postgres === undefined, say })

  say('Starting the API')
  const db = openMainDatabase(config)
  opened.defer(() => db.close())
  const keys = await issueDemoKeys(client, db, host)

  const metricsHost = metricsHostOf(settings)
  const metrics = await listening({ host: metricsHost, port: metricsPort, variable: 'METRICS_PORT' }, () =>
    serveMetrics(metricsHost, metricsPort, ownMetrics),
  )
  opened.defer(() => {
    metrics.close()
    metrics.closeAllConnections()
  })

  const logger = makeLogger(config.logLevel, pino.destination({ dest: standardError, sync: true }))
  const app = await openApi(db, config, logger, opened)
  opened.defer(() => void setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref())
  await listening({ host, port, variable: 'PORT' }, () => app.listen({ host, port }))
  const baseUrl = localUrl(host, app.server)
  await addExamples(client, baseUrl, keys.client_a)
  startWork(db, config, logger, opened)
  if (live) opened.defer(playTrade(baseUrl, keys))
  return {
    baseUrl,
    keysAreKnown: isLoopback(host),
    rateLimit: settings.rateLimit,
    metricsUrl: `${localUrl(metricsHost, metrics)}/metrics`,
    keys,
    journey: await journeyOf(client, baseUrl, keys.client_a),
  }
}
