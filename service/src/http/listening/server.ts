/** Fastify as this service uses it: strict bodies, one error shape, request ids, limits, metrics, redacted logs. */
import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { Histogram } from 'prom-client'
import { failure, Failure } from '../envelope.ts'
import { answerBrokenRequest } from './answer-failure.ts'
import { newRequestId } from './request-id.ts'
import { mediaTypes } from '../routing/route.ts'
import type { Shedding } from './shedding.ts'
import { Refusal } from '../../refusals.ts'

export interface ServerSettings {
  readonly requestTimeoutMs: number
  readonly logger: Logger
  readonly shedding?: Shedding
}

export const bodyBytesMax = 16 * 1024 // The longest form, an order's address, has under 6 KiB even when every character is escaped thrice.
const paramLengthMax = 500 // Longer than any id, so that an overlong one is told to be invalid and not that its address does not exist.
const silenceMaxMs = 30_000 // Longer than any answer is held back on purpose.
/** In which a bucket gets its next request, and in which a passing trouble may have passed. */
const retryAfterSeconds: Readonly<Record<number, number>> = { 429: 1, 503: 2 }

/** Answers belong to one key, are never a page, and are not to be guessed at. The documentation page sets its own policy. */
const protectiveHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const requestSeconds = new Histogram({
  name: 'parts_http_request_duration_seconds',
  help: 'Time from receiving a request to its answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})

export function makeServer({ requestTimeoutMs, logger, shedding }: ServerSettings): FastifyInstance {
  const app = Fastify({
    serverFactory: (answer) =>
      makeListener({ requestTimeoutMs, answer: shedding === undefined ? answer : refuseEarly(shedding, answer) }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    bodyLimit: bodyBytesMax,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: paramLengthMax,
      querystringParser: () => ({}), // Routes read the query strictly by themselves.
    },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    clientErrorHandler: answerBrokenRequest,
  }) as unknown as FastifyInstance

  app.addSchema(Failure)
  app.decorateRequest('actor', null)
  app.setValidatorCompiler(() => () => true)
  readBodies(app)

  // Hooks with callbacks, not promises: each promise would cost every request a turn of the queue.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(protectiveHeaders).header('x-request-id', request.id)
    if (request.routeOptions.config.body !== 'rows') limitBodyTime(request, requestTimeoutMs)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    requestSeconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    request.log.info(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        client_id: request.actor?.client_id,
        operator: request.actor?.operator_name,
        key_id: request.actor?.key_id,
      },
      'answered',
    )
    done()
  })
  endConnectionsOnClose(app)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request) => {
    throw new Refusal('route_not_found', { path: request.url.split('?', 1)[0]?.slice(0, 200) ?? '' })
  })
  return app
}

function makeListener({ requestTimeoutMs, answer }: { requestTimeoutMs: number; answer: RequestListener }): Server {
  const server = createServer(
    {
      requireHostHeader: false, // Node would answer by itself, in another shape; no route depends on the host.
      connectionsCheckingInterval: 1_000, // How exactly headersTimeout is kept.
      headersTimeout: requestTimeoutMs,
      requestTimeout: 0, // Bodies have their own limit, since those of imports may take as long as they go on coming.
      keepAliveTimeout: 72_000, // Longer than the usual 60 seconds of a load balancer, so that it is the one to close.
    },
    answer,
  )
  return server.setTimeout(Math.max(requestTimeoutMs, silenceMaxMs))
}

const overloaded = new Refusal('overloaded', {})

/** Before anything is looked at but the first line. Refusing must cost a fraction of answering; so it is counted, and not told in the log. */
const refuseEarly =
  (shedding: Shedding, answer: RequestListener): RequestListener =>
  (request, response) => {
    if (!shedding.refuses(request.method ?? '', request.url ?? '')) return answer(request, response)
    const id = newRequestId(request)
    response
      .writeHead(overloaded.status, {
        ...protectiveHeaders,
        'x-request-id': id,
        'retry-after': String(retryAfterSeconds[overloaded.status]),
        'content-type': 'application/json; charset=utf-8',
      })
      .end(JSON.stringify(failure(overloaded.errors, id)))
  }

/** A body that does not come to its end in time is refused, as headers are that do not. */
function limitBodyTime({ raw, headers }: FastifyRequest, timeoutMs: number): void {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const late = setTimeout(() => {
    if (!raw.complete) answerBrokenRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket)
  }, timeoutMs)
  late.unref() // Of a request that is refused before its body has come, and then cut off, neither end nor close is heard.
  const inTime = (): void => clearTimeout(late)
  raw.once('end', inTime).once('close', inTime)
}

/** Whoever is answered while the process stops is told to come back on another connection; otherwise it would keep this one open. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
}

/** Bodies are what their route takes, in UTF-8, however the header is cased or spaced; any other is refused before it is looked at. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    // Some clients announce a type with every request; what a DELETE does not carry cannot be of a wrong one.
    const nothing = request.method === 'DELETE' && body.length === 0
    const refusal = nothing ? undefined : wrongMedia(request)
    if (refusal) {
      done(refusal)
      return
    }
    try {
      done(null, utf8.decode(body as Buffer))
    } catch {
      done(new Refusal('malformed_request', { reason: 'the body is not UTF-8' }))
    }
  })
}

/** Bodies of rows are handed on as they come. */
export function streamBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, body, done) => {
    const refusal = wrongMedia(request)
    if (refusal) done(refusal)
    else done(null, body)
  })
}

function wrongMedia(request: FastifyRequest): Refusal | undefined {
  const content_type = request.headers['content-type'] ?? ''
  const expected = mediaTypes[request.routeOptions.config.body ?? 'form']
  if (expected.some((media) => isOfMedia(content_type, media))) return undefined
  return new Refusal('unsupported_media_type', {
    content_type: content_type.slice(0, 100),
    expected: expected.join(' or '),
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function isOfMedia(contentType: string, expected: string): boolean {
  const [media = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset'))
  return media === expected && charsets.every((charset) => /^charset\s*=\s*"?utf-?8"?$/.test(charset))
}

async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const refusal = asRefusal(error, request)
  if (request.routeOptions.config.body === 'rows') drain(request.raw)
  if (refusal.status >= 500) request.log.error({ err: refusal.cause ?? error }, refusal.message)
  const retryAfter = retryAfterSeconds[refusal.status]
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  for (const { code, details } of refusal.errors) {
    if (code === 'method_not_allowed') reply.header('allow', (details as { allowed: string[] }).allowed.join(', '))
  }
  return reply
    .code(refusal.status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(failure(refusal.errors, request.id))
}

const drainMs = 10_000

/** Some senders read no answer before they have sent everything: the rest of the body is taken in and thrown away, for a while. */
function drain(raw: FastifyRequest['raw']): void {
  if (raw.complete) return
  raw.unpipe()
  raw.resume()
  const late = setTimeout(() => raw.destroy(), drainMs)
  raw.once('close', () => clearTimeout(late))
}

/** Fastify's own errors in our words; whatever nobody foresaw is a bug of ours. */
function asRefusal(error: unknown, { routeOptions }: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  const { code = '', statusCode = 500, message = '' } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large', { limit_bytes: routeOptions.bodyLimit ?? bodyBytesMax })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('unsupported_media_type', {
        content_type: '',
        expected: mediaTypes[routeOptions.config.body ?? 'form'].join(' or '),
      })
    case 'FST_ERR_BAD_URL':
      return new Refusal('malformed_request', { reason: 'the path is not percent-encoded UTF-8' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal('malformed_request', { reason: 'the body does not have the announced length' })
    default:
  }
  if (statusCode >= 400 && statusCode < 500) return new Refusal('malformed_request', { reason: message })
  return new Refusal('internal_error', {}, { cause: error })
}

/** Each address answers its other methods with 405 and `Allow`. Call it when all routes are there. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly { method: string; path: string }[]): void {
  const byPath = Object.groupBy(routes, ({ path }) => path)
  for (const [path, at = []] of Object.entries(byPath)) {
    const methods = at.map(({ method }) => method)
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].filter(
      (method) => !allowed.includes(method),
    )
    app.route({
      method: others,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: { hide: true },
      exposeHeadRoute: false,
      onRequest: async (request) => {
        throw new Refusal('method_not_allowed', { method: request.method, allowed })
      },
      handler: async () => undefined,
    })
  }
}
