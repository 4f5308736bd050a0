/** Fastify as this service uses it: one error shape, request ids, time limits, metrics, redacted logs. */
import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { brotliCompress, constants, createGzip, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onSendHookHandler,
} from 'fastify'
import { Counter, Histogram } from 'prom-client'
import { answerBrokenRequest, answerError, newRequestId, protectiveHeaders, routeNotFound } from '../answer-failure.ts'
import { acceptRequests, type Drain } from './accept.ts'
import { clientAddresses, type ClientAddresses } from '../client-address.ts'
import { limitConnections, type ConnectionLimits } from '../limits/limit-connections.ts'
import { addVary } from '../routing/cache.ts'
import { buildSerializer } from './serializers.ts'
import type { HoldBack } from '../limits/hold-back.ts'
import { routerOptions, type Shedding } from '../limits/shedding.ts'
import { Failure } from '../envelope.ts'
import { parseTraceparent, requestIdOfTrace } from '../../telemetry/trace-context.ts'
import type { OpenSpan, Tracer } from '../../telemetry/tracer.ts'

export interface ServerSettings {
  readonly requestTimeoutMs: number
  readonly logger: FastifyBaseLogger
  readonly holdBack?: HoldBack
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
      readonly operator_id?: number
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
    holdBack,
    shedding,
    corsOrigins = [],
    addresses = clientAddresses([]),
    connections,
    drain = { isStarted: false },
    tracer,
  } = settings
  const traces = new WeakMap<IncomingMessage, OpenSpan>() // Of those requests that have one: few.
  const { listen, afterAnswers } = acceptRequests({ requestTimeoutMs, corsOrigins, drain, holdBack, shedding })
  const app = Fastify({
    serverFactory: listen,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (raw: IncomingMessage) => {
      const trace = traceOf(raw, tracer)
      if (trace !== undefined) traces.set(raw, trace)
      return newRequestId(raw, trace && requestIdOfTrace(trace))
    },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildSerializer } },
    routerOptions,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    clientErrorHandler: (error, socket) => afterAnswers(socket, () => answerBrokenRequest(error, socket)),
  })

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
    // In an outage of the database no key can be checked.
    if (request.actor === null && status < 500) holdBack?.noteKeyless(request.raw)
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
        operator_id: request.actor?.operator_id,
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

/*
 * Compresses large responses for clients that accept it. Small ones are sent as they are: they fit into a few packets, and
 * compressing them would cost more time than it saves.
 */
const compressedFromLength = 8 * 1024 // Characters. A page of ten orders.

type Coding = 'br' | 'gzip'
type Compressed = (error: Error | null, bytes: Buffer) => void

/** Both run outside of the event loop. The levels are those after which another percent of size costs most. */
const gzipOptions: ZlibOptions = { level: 3 }
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const compressors: Record<Coding, (text: string, done: Compressed) => void> = {
  br: (text, done) => brotliCompress(text, brotliOptions, done),
  gzip: (text, done) => gzip(text, gzipOptions, done),
}

/** For all routes that are registered from now on. Each route compresses last, after its own hooks have seen the text. */
function compressLargeResponses(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), compressIfLarge]
  })
}

const compressIfLarge: onSendHookHandler = ({ headers }, reply, payload, done) => {
  if (payload instanceof Readable) return done(null, compressed(payload, headers['accept-encoding'], reply))
  if (typeof payload !== 'string' || payload.length < compressedFromLength) return done(null, payload)
  addVary(reply, 'Accept-Encoding')
  const coding = codingFor(headers['accept-encoding'] ?? '')
  if (coding === undefined) return done(null, payload)
  compressors[coding](payload, (error, bytes) => {
    if (error !== null) return done(error)
    reply.header('content-encoding', coding)
    done(null, bytes)
  })
}

/** A long list as CSV. gzip because programs that read such files know it; a page of the list at a time. */
function compressed(list: Readable, accepted: string | undefined, reply: FastifyReply): Readable {
  addVary(reply, 'Accept-Encoding')
  if (codingFor(accepted ?? '', ['gzip']) === undefined) return list
  reply.header('content-encoding', 'gzip')
  return pipeline(list, createGzip(gzipOptions), () => undefined)
}

/** The best coding that the client accepts. `gzip;q=0` refuses one; the other weights do not matter between two. */
export function codingFor(accepted: string, codings: readonly Coding[] = ['br', 'gzip']): Coding | undefined {
  if (accepted === '') return undefined
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      return [coding, parameters.some((text) => /^q\s*=\s*0(\.0*)?$/.test(text)) ? 'refused' : 'accepted']
    }),
  )
  return codings.find((coding) => (weights.get(coding) ?? weights.get('*')) === 'accepted')
}
