/** Fastify as this service uses it: one error shape, request ids, time limits, metrics, redacted logs. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { Counter, Histogram } from 'prom-client'
import {
  answerBadHead,
  answerBrokenRequest,
  answerError,
  answerOverloaded,
  answerUnmetExpectation,
  newRequestId,
  protectiveHeaders,
  routeNotFound,
} from '../answer-failure.ts'
import { compressLargeResponses } from './compress.ts'
import { checkHead } from './check-head.ts'
import { clientAddresses, type ClientAddresses } from '../client-address.ts'
import { allowOrigins } from './cors.ts'
import { limitConnections, type ConnectionLimits } from '../limits/limit-connections.ts'
import { oneAtATime } from '../limits/one-at-a-time.ts'
import { buildSerializer } from './serializers.ts'
import type { Shedding } from '../limits/shedding.ts'
import { Failure } from '../envelope.ts'
import { parseTraceparent, requestIdOfTrace } from '../../telemetry/trace-context.ts'
import type { OpenSpan, Tracer } from '../../telemetry/tracer.ts'

/**
 * The time before a process stops: it still answers every request, but `/readyz` is 503 and answers close their
 * connections, so that a load balancer sends no more of them.
 */
export interface Drain {
  isStarted: boolean
}

export interface ServerSettings {
  readonly requestTimeoutMs: number
  readonly logger: FastifyBaseLogger
  readonly shedding?: Shedding
  readonly corsOrigins?: readonly string[]
  readonly drain?: Drain
  readonly addresses?: ClientAddresses
  /** Without them, connections are not limited. */
  readonly connections?: ConnectionLimits
  /** Without it, traces are passed on but not recorded. */
  readonly tracer?: Tracer | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request, for its log line; null until the key is known. */
    actor: {
      readonly key_id: number | null
      readonly client_id?: number
      readonly operator_name?: string
      readonly session?: { readonly session_id: number }
    } | null
    /** Refuses the request when its body is not complete in time. Clear it for a body that may take longer. */
    bodyDeadline: NodeJS.Timeout | null
    /** The trace that the request belongs to; null if none. */
    trace: OpenSpan | null
    /** The first error code of the response; null if the request succeeded. */
    refusedWith: string | null
    /** It waits for an event, so its duration says nothing about the service. */
    isLongPoll: boolean
  }
}

const paramLengthMax = 500 // Longer than any id, so that an overlong id gets `field_invalid` and not `route_not_found`.
const silenceMaxMs = 30_000 // Longer than any answer is delayed on purpose.

const requestSeconds = new Histogram({
  name: 'parts_http_request_duration_seconds',
  help: 'Time from receiving a request to its answer, by route and status; without requests that wait for an event.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 5], // 0.3 is the objective of placing an order.
})
const longPolls = new Counter({
  name: 'parts_long_polls_total',
  help: 'Answered requests that waited for an event (wait > 0), by route and status.',
  labelNames: ['route', 'status'],
})

const probes = new Set<string | undefined>(['/healthz', '/readyz'])

export function makeServer(settings: ServerSettings): FastifyInstance {
  const {
    requestTimeoutMs,
    logger,
    shedding,
    corsOrigins = [],
    addresses = clientAddresses([]),
    connections,
    drain = { isStarted: false },
    tracer,
  } = settings
  const traces = new WeakMap<IncomingMessage, OpenSpan>() // Of those requests that have one: few.
  const { inTurn, watch, afterAnswers } = oneAtATime()
  const prepared = (answer: RequestListener): RequestListener =>
    inTurn(closeWhenDraining(drain, allowOrigins(corsOrigins, checkHead(answer, answerBadHead))))
  const app = Fastify({
    serverFactory: (answer) =>
      makeListener(requestTimeoutMs, {
        request: prepared(shedEarly(shedding, answer)),
        checkExpectation: prepared(answerUnmetExpectation),
      }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (raw: IncomingMessage) => {
      const trace = traceOf(raw, tracer)
      if (trace !== undefined) traces.set(raw, trace)
      return newRequestId(raw, trace && requestIdOfTrace(trace))
    },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildSerializer } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: paramLengthMax,
      querystringParser: () => ({}), // Routes parse the query themselves, strictly.
    },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    clientErrorHandler: (error, socket) => afterAnswers(socket, () => answerBrokenRequest(error, socket)),
  })

  app.server.on('connection', watch)
  if (connections !== undefined) limitConnections(app.server, connections, { addresses, logger })
  app.addSchema(Failure)
  app.decorateRequest('actor', null)
  app.decorateRequest('bodyDeadline', null)
  app.decorateRequest('trace', null)
  app.decorateRequest('refusedWith', null)
  app.decorateRequest('isLongPoll', false)
  app.setValidatorCompiler(() => () => true)
  leaveBodiesUnread(app)

  // Hooks with callbacks, not promises: each promise would cost every request a turn of the microtask queue.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(protectiveHeaders).header('x-request-id', request.id)
    limitBodyTime(request, requestTimeoutMs)
    request.trace = traces.get(request.raw) ?? null
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const { method, trace, refusedWith } = request
    const status = reply.statusCode
    if (request.isLongPoll) longPolls.inc({ route, status })
    else requestSeconds.observe({ method, route, status }, reply.elapsedTime / 1000)
    const isQuiet = probes.has(route) && (status < 300 || refusedWith === 'shutting_down')
    request.log[isQuiet ? 'debug' : 'info'](
      {
        method,
        route,
        status,
        code: refusedWith ?? undefined,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        address: addresses.of(request.raw),
        trace_id: trace?.traceId,
        client_id: request.actor?.client_id,
        operator: request.actor?.operator_name,
        key_id: request.actor?.key_id ?? undefined,
        session_id: request.actor?.session?.session_id,
      },
      'answered',
    )
    trace?.end?.({
      name: `${method} ${route}`,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'error.type': refusedWith ?? undefined,
        'parts.request_id': request.id,
        'parts.client_id': request.actor?.client_id,
      },
      failed: status >= 500,
    })
    done()
  })
  closeConnectionsOnShutdown(app, drain)
  compressLargeResponses(app)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request) => {
    throw routeNotFound(request)
  })
  return app
}

/** The trace of the request's `traceparent`, or a new one if it is to be recorded. An invalid header is ignored. */
function traceOf({ headers }: IncomingMessage, tracer: Tracer | undefined): OpenSpan | undefined {
  const { traceparent } = headers
  const parent = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  return tracer === undefined ? parent : tracer.begin('server', parent)
}

function makeListener(
  requestTimeoutMs: number,
  { request, checkExpectation }: Record<'request' | 'checkExpectation', RequestListener>,
): Server {
  const server = createServer(
    {
      requireHostHeader: false, // Node would answer on its own, in another shape; no route depends on the host.
      connectionsCheckingInterval: 1_000, // The precision of headersTimeout.
      headersTimeout: requestTimeoutMs,
      requestTimeout: 0, // Bodies have a limit of their own, since an import's body may take long.
      keepAliveTimeout: 72_000, // Longer than a load balancer's usual 60 seconds, so that the balancer closes first.
    },
    request,
  )
  // An `Expect` other than 100-continue. Without a listener Node would answer on its own, in another shape.
  server.on('checkExpectation', checkExpectation)
  return server.setTimeout(Math.max(requestTimeoutMs, silenceMaxMs))
}

/** Also for answers that Fastify does not see. */
const closeWhenDraining =
  (drain: Drain, answer: RequestListener): RequestListener =>
  (request, response) => {
    if (drain.isStarted) response.shouldKeepAlive = false
    answer(request, response)
  }

/** Decides by the request line and whose key it has, unchecked. Refusing must cost a fraction of answering. */
const shedEarly =
  (shedding: Shedding | undefined, answer: RequestListener): RequestListener =>
  (request, response) => {
    if (shedding?.refuses(request) === true) answerOverloaded(request, response)
    else answer(request, response)
  }

/** A route reads its body itself, after the key was checked; Fastify must not read it first. */
function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** Answers 408 when the body does not arrive completely in time. `headersTimeout` does the same for headers. */
function limitBodyTime(request: FastifyRequest, timeoutMs: number): void {
  const { raw, headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const deadline = setTimeout(() => {
    if (!raw.complete) answerBrokenRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket)
  }, timeoutMs)
  deadline.unref() // A request that is refused before its body arrives and then cut off emits neither end nor close.
  request.bodyDeadline = deadline
  const arrived = (): void => clearTimeout(deadline)
  raw.once('end', arrived).once('close', arrived)
}

/**
 * During shutdown every answer closes its connection. Clients would otherwise keep sending requests on it. A connection
 * whose request was refused earlier, but whose body is still arriving, is cut.
 */
function closeConnectionsOnShutdown(app: FastifyInstance, drain: Drain): void {
  const stillSending = new Set<IncomingMessage>()
  app.addHook('preClose', async () => {
    drain.isStarted = true
    for (const raw of stillSending) raw.destroy()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      const forget = (): void => {
        stillSending.delete(raw)
        raw.off('end', forget).socket.off('close', forget)
      }
      stillSending.add(raw)
      raw.once('end', forget).socket.once('close', forget)
    }
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (drain.isStarted) reply.header('connection', 'close')
    done()
  })
}
