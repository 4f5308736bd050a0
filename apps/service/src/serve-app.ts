/** Serves the application: both sides of the API, the reference, the console and the health checks. It opens nothing: commands/api.ts opens its parts. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { serveConsole } from './console/serve-console.ts'
import type { Authenticator } from './identity/authenticate.ts'
import { clientShare, operatorShare, permitRole, permitScope, type Actor, type Operator } from './identity/actor.ts'
import type { Config } from './config.ts'
import type { WaitingReaders } from './events/waiting-readers.ts'
import { clientAddresses } from './http/client-address.ts'
import { openFailedKeys, limitRate, type Buckets } from './http/limits/rate-limit.ts'
import { serveHealth } from './http/listening/health.ts'
import { answerOtherMethods, noteMethods } from './http/listening/other-methods.ts'
import { serveRoutes, type ApiSide } from './http/routing/serve-routes.ts'
import type { Tracer } from './telemetry/tracer.ts'
import type { Shedding } from './http/limits/shedding.ts'
import type { ImportRunner } from './imports/import-runner.ts'
import { serveRoot } from './http/listening/root.ts'
import type { Drain } from './http/listening/accept.ts'
import { makeServer } from './http/listening/server.ts'
import { byKeyOrSession, sessionTokenOf } from './sessions/session-cookie.ts'
import { serveSignIn } from './sessions/serve-sign-in.ts'
import { ownLabels } from './vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { checkReady } from './readiness/check-ready.ts'
import { serveReference } from './reference/serve-reference.ts'
import { clientSideRoutes, operatorSideRoutes, schemas } from './app.ts'

/** What only tests set; see `ApiSide` and `sharedBuckets`. */
export interface TestOptions {
  readonly failOnUndeclaredRefusal?: boolean
  readonly redisDeadlineMs?: number
  readonly sessionUseIntervalMs?: number
}

/** Whom an app serves: both, or with OPERATOR_PORT each on a port of its own. */
export type ServedSide = 'clients' | 'operators'

export interface AppParts {
  readonly db: Database
  /** For keys and health checks, which must not wait behind requests. */
  readonly keysDb: Database
  /** For statements that may take minutes. */
  readonly slowDb: Database
  readonly clients: Authenticator<Actor>
  readonly operators: Authenticator<Operator>
  readonly sessions: Authenticator<Operator>
  readonly imports: ImportRunner
  readonly readers: WaitingReaders
  readonly shedding: Shedding
  readonly buckets: Buckets
  readonly drain: Drain
  readonly tracer: Tracer | undefined
}

export async function makeApp(
  { db, keysDb, slowDb, clients, operators, sessions, imports, readers, shedding, buckets, drain, tracer }: AppParts,
  config: Config,
  logger: Logger,
  sides: readonly ServedSide[],
  { failOnUndeclaredRefusal = false }: Pick<TestOptions, 'failOnUndeclaredRefusal'> = {},
): Promise<FastifyInstance> {
  const { requestTimeoutMs, corsOrigins, connectionsMax, connectionsPerAddressMax } = config
  const connections = { connectionsMax, connectionsPerAddressMax }
  const addresses = clientAddresses(config.trustedProxies)
  const failedKeys = openFailedKeys(config.failedKeysPerMinute, addresses)
  const app = makeServer({ requestTimeoutMs, logger, shedding, corsOrigins, connections, addresses, drain, tracer })
  const methods = noteMethods(app)
  for (const schema of schemas) app.addSchema(schema)
  serveHealth(app, drain, () => checkReady(keysDb))
  app.addHook('onClose', async () => failedKeys.close())
  app.addHook('preClose', async () => readers.close()) // Waiting readers get their answer before the server stops.

  const recheckKeys = async (): Promise<void> => {
    await Promise.all([clients, operators, sessions].map((kind) => kind.recheck()))
  }
  const clientApi: ApiSide<Actor> = {
    db,
    shareOf: clientShare,
    authenticate: failedKeys.guard(clients.authenticate),
    recheckKeys,
    failOnUndeclaredRefusal,
    permit: permitScope,
    ...(config.rateLimit ? { limit: limitRate(buckets) } : {}),
    body: 'form',
  }
  const operatorApi: ApiSide<Operator> = {
    db,
    shareOf: operatorShare,
    authenticate: byKeyOrSession(config, {
      byKey: failedKeys.guard(operators.authenticate),
      bySession: failedKeys.guard(sessions.authenticate, ({ headers }) =>
        sessionTokenOf(headers, config.consoleOrigin),
      ),
    }),
    recheckKeys,
    failOnUndeclaredRefusal,
    permit: permitRole,
    body: 'json',
  }
  const parts = { config, readers, imports, slowDb }
  const [clientSide, operatorSide] = [clientSideRoutes(parts), operatorSideRoutes(parts)]
  shedding.cover([...clientSide, ...operatorSide])
  if (config.docs) {
    serveRoot(app, sides.includes('clients') ? '' : '/operator')
    serveReference(app, { clientSide, operatorSide, schemas, timeZone: config.timeZone }, sides)
  }
  if (sides.includes('operators')) {
    if (config.oidcIssuer !== '') serveSignIn(app, db, config)
    serveConsole(app, {
      identity_provider: config.oidcIssuer !== '',
      key_sign_in: config.keySignIn,
      state_labels: ownLabels(config.stateLabels),
      time_zone: config.timeZone,
    })
  }
  await app.register(async (api) => {
    if (sides.includes('clients')) serveRoutes(api, clientSide, clientApi)
    if (sides.includes('operators')) serveRoutes(api, operatorSide, operatorApi)
    answerOtherMethods(api, methods)
  })
  return app
}
