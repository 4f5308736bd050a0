/** Serves the application: both sides of the API, the documentation, the console and the health checks. It opens nothing: commands/api.ts opens its parts. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { describeInstallation } from './about/describe-service.ts'
import { serviceVersion } from './build-info.ts'
import { serveConsole } from './console/serve-console.ts'
import { keyIdOf, type Authenticator } from './identity/authenticate.ts'
import {
  clientBucket,
  clientShare,
  operatorActor,
  operatorBucket,
  operatorShare,
  mayUse,
  roleMissing,
  permitScope,
  type Actor,
  type Operator,
} from './identity/actor.ts'
import type { Config } from './config.ts'
import type { WaitingReaders } from './events/waiting-readers.ts'
import { clientAddresses } from './http/client-address.ts'
import { openHoldBack } from './http/limits/hold-back.ts'
import {
  clientBytesPerToken,
  openFailedKeys,
  limitRate,
  operatorBytesPerToken,
  type Buckets,
  type Limited,
  type RateLimit,
} from './http/limits/rate-limit.ts'
import { serveHealth } from './http/listening/health.ts'
import { answerOtherMethods, noteMethods } from './http/listening/other-methods.ts'
import { serveRoutes, type ApiSide } from './http/routing/serve-routes.ts'
import { boundedEntriesMs, openBoundedEntries } from './keys/audit/bounded-entries.ts'
import { Refusal } from './vocabulary/refusals.ts'
import type { Tracer } from './telemetry/tracer.ts'
import type { Shedding } from './http/limits/shedding.ts'
import type { ImportRunner } from './imports/import-runner.ts'
import { serveRoot } from './http/listening/root.ts'
import type { Drain } from './http/listening/accept.ts'
import { makeServer } from './http/listening/server.ts'
import { byKeyOrSession, sessionTokenOf } from './sessions/session-cookie.ts'
import { serveSignIn } from './sessions/serve-sign-in.ts'
import { ownLabels } from './vocabulary/order-states.ts'
import { lostConnections } from './open-database.ts'
import type { Database } from 'pg-statements/database.ts'
import { checkReady, readyCheck } from './readiness/check-ready.ts'
import { serveReference } from './reference/serve-reference.ts'
import { serveSite } from './reference/serve-site.ts'
import { clientSideRoutes, operatorSideRoutes, schemas } from './app.ts'

/** What only tests set; see `ApiSide` and `sharedBuckets`. */
export interface TestOptions {
  readonly failOnUndeclaredRefusal?: boolean
  readonly redisDeadlineMs?: number
  readonly sessionUseIntervalMs?: number
  readonly boundedEntriesMs?: number
  readonly checkReadyEachTime?: boolean
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
  {
    failOnUndeclaredRefusal = false,
    boundedEntriesMs: everyMs = boundedEntriesMs,
    checkReadyEachTime = false,
  }: TestOptions = {},
): Promise<FastifyInstance> {
  const { requestTimeoutMs, corsOrigins, connectionsMax, connectionsPerAddressMax } = config
  const connections = { connectionsMax, connectionsPerAddressMax }
  const addresses = clientAddresses(config.trustedProxies)
  const failedKeys = openFailedKeys(config.failedKeysPerMinute, addresses)
  const holdBack = openHoldBack({
    addresses,
    keylessPerSecond: config.keylessPerSecond,
    corsOrigins,
    bucketOf: (headers) => {
      const client = clients.knows(headers.authorization)
      if (client !== undefined) return clientBucket(client)
      const operator =
        operators.knows(headers.authorization) ?? sessions.knows(sessionTokenOf(headers, config.consoleOrigin))
      return operator && operatorBucket(operator)
    },
  })
  const app = makeServer({
    requestTimeoutMs,
    logger,
    holdBack,
    shedding,
    corsOrigins,
    connections,
    addresses,
    drain,
    tracer,
  })
  const methods = noteMethods(app)
  for (const schema of schemas) app.addSchema(schema)
  serveHealth(app, drain, checkReadyEachTime ? () => checkReady(keysDb) : readyCheck(keysDb, lostConnections))
  const entries = openBoundedEntries(keysDb, { everyMs, logger })
  app.addHook('onClose', async () => {
    failedKeys.close()
    holdBack.close()
    await entries.close()
  })
  app.addHook('preClose', async () => readers.close()) // Waiting readers get their answer before the server stops.

  const recheckKeys = async (): Promise<void> => {
    await Promise.all([clients, operators, sessions].map((kind) => kind.recheck()))
  }
  const noteFailedSignIn = (request: FastifyRequest, value: Record<string, unknown>): void =>
    entries.later({
      audit_action: 'sign_in_failed',
      actor: `unknown at ${addresses.of(request.raw)}`,
      request_id: request.id,
      value,
    })

  const limitOf = <A>(perToken: number, limitedAs: (actor: A) => Limited): { limit?: RateLimit<A> } =>
    config.rateLimit ? { limit: limitRate(buckets, limitedAs, holdBack.noteRefusal, perToken) } : {}
  const { operatorRatePerSecond } = config
  const operatorRate = {
    rate_per_second: operatorRatePerSecond,
    rate_burst: operatorBurstSeconds * operatorRatePerSecond,
  }

  const clientApi: ApiSide<Actor> = {
    db,
    shareOf: clientShare,
    authenticate: failedKeys.guard(clients.authenticate),
    recheckKeys,
    failOnUndeclaredRefusal,
    permit: permitScope,
    ...limitOf(clientBytesPerToken, ({ rate_per_second, rate_burst, ...actor }: Actor) => ({
      bucket: clientBucket(actor),
      rate_per_second,
      rate_burst,
    })),
    body: 'form',
  }
  const operatorApi: ApiSide<Operator> = {
    db,
    shareOf: operatorShare,
    authenticate: byKeyOrSession(config, {
      byKey: notingFailures(failedKeys.guard(operators.authenticate), (request, key_id) =>
        noteFailedSignIn(request, { key_id }),
      ),
      bySession: failedKeys.guard(sessions.authenticate, ({ headers }) =>
        sessionTokenOf(headers, config.consoleOrigin),
      ),
    }),
    recheckKeys,
    failOnUndeclaredRefusal,
    permit: (operator, route, request_id) => {
      if (mayUse(operator, route)) return
      entries.later({
        audit_action: 'role_missing',
        actor: operatorActor(operator),
        request_id,
        value: { operation_id: route.operationId, role: operator.role },
      })
      throw roleMissing(operator, route)
    },
    ...limitOf(operatorBytesPerToken, (operator: Operator) => ({ bucket: operatorBucket(operator), ...operatorRate })),
    body: 'json',
    recordExport: (operator, { request_id, ...value }) =>
      entries.first({ audit_action: 'list_exported', actor: operatorActor(operator), request_id, value }),
  }
  const parts = { config, readers, imports, slowDb }
  const [clientSide, operatorSide] = [clientSideRoutes(parts), operatorSideRoutes(parts)]
  shedding.cover([...clientSide, ...operatorSide])
  if (config.docs) {
    serveRoot(app, sides.includes('clients') ? '' : '/operator')
    serveReference(app, { clientSide, operatorSide, schemas, timeZone: config.timeZone }, sides)
    serveSite(app, describeInstallation({ ...config, serviceVersion }))
  }
  if (sides.includes('operators')) {
    if (config.oidcIssuer !== '')
      serveSignIn(app, db, config, (request, subject) => noteFailedSignIn(request, { subject }))
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

const operatorBurstSeconds = 2

/** Reports requests with an invalid key; those without any are none. `key_id` is null unless the key has the form of one. */
const notingFailures =
  <A>(
    authenticate: (request: FastifyRequest) => A | Promise<A>,
    note: (request: FastifyRequest, key_id: number | null) => void,
  ) =>
  (request: FastifyRequest): A | Promise<A> => {
    const fail = (error: unknown): never => {
      const { authorization = '' } = request.headers
      if (authorization !== '' && error instanceof Refusal && error.errors[0]?.code === 'unauthorized')
        note(request, keyIdOf(authorization, 'pso') ?? null)
      throw error
    }
    try {
      const actor = authenticate(request)
      return actor instanceof Promise ? actor.catch(fail) : actor
    } catch (error) {
      return fail(error)
    }
  }
