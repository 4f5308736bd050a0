/**
 * Answers requests that fail: refusals, errors of Fastify, requests that are not HTTP, requests shed under overload, and
 * connections over the limit.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Counter } from 'prom-client'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { failure } from './envelope.ts'
import { printable } from '../vocabulary/printable.ts'
import { databaseRefusal, Refusal } from '../vocabulary/refusals.ts'
import { CallerGone, DatabaseTrouble } from 'pg-statements/database.ts'

/** By status, where nothing else is known. A transient outage usually ends within 2 s. */
const headersOfStatus: Readonly<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'ApiKey realm="Parts Ordering Service"' }, // No scheme that a browser would ask a password for.
  429: { 'retry-after': '1' },
  503: { 'retry-after': '2' },
}

/** Answers are private to a key, are never pages, and must not be sniffed. The documentation page sets its own policy. */
export const protectiveHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const refused = new Counter({
  name: 'parts_refusals_total',
  help: 'Responses with an error, by its code; of several, the first.',
  labelNames: ['code'],
})
refused.inc({ code: 'internal_error' }, 0) // So that the first one is an increase, which an alert can see.

const callerGoneStatus = 499 // As nginx logs it.

/** Fastify's error handler. */
export async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (error instanceof CallerGone) return reply.code(callerGoneStatus).send() // For the log; nobody receives it.
  const refusal = asRefusal(error, request)
  const code = countRefusal(refusal)
  request.refusedWith = code
  // While a process drains, each probe is refused; that is no error.
  if (refusal.status >= 500 && code !== 'shutting_down')
    request.log.error({ err: refusal.cause ?? error, code, trace_id: request.trace?.traceId }, refusal.message)
  const retryAfter = reply.getHeader('retry-after') // Set where it is known better.
  return reply
    .code(refusal.status)
    .headers({ ...headersOfStatus[refusal.status], ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) })
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(failure(refusal.errors, request.id))
}

function countRefusal({ errors }: Refusal): string {
  const code = errors[0]?.code ?? 'internal_error'
  refused.inc({ code })
  return code
}

/** The only place where other errors become refusals. An error that is not listed here is a bug and becomes a 500. */
function asRefusal(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof DatabaseTrouble) return databaseRefusal(error)
  const { code = '', statusCode = 500, message = '' } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': // Not even of the form type/subtype.
      if (request.is404) return routeNotFound(request)
      return new Refusal('unsupported_media_type', {
        content_type: (request.headers['content-type'] ?? '').slice(0, 100),
        expected: request.routeOptions.schema?.consumes?.join(' or ') ?? '',
      })
    case 'FST_ERR_BAD_URL':
      return new Refusal('malformed_request', { reason: 'the path is not percent-encoded UTF-8' })
    default:
  }
  if (statusCode >= 400 && statusCode < 500) return new Refusal('malformed_request', { reason: message })
  return new Refusal('internal_error', {}, { cause: error })
}

export function routeNotFound({ url }: FastifyRequest): Refusal {
  return new Refusal('route_not_found', { path: url.split('?', 1)[0]?.slice(0, 200) ?? '' })
}

/** Answers a request that Node's HTTP parser rejected, or that did not arrive in time. Fastify never sees its rest. */
export function answerBrokenRequest(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  endWith(brokenRequestRefusal(error.code), socket)
}

/** Answers a connection from which nothing is read. */
export function answerTooManyConnections(socket: Socket): void {
  endWith(new Refusal('too_many_connections', {}), socket)
  socket.destroySoon() // Without waiting for the client to close its side.
}

/** Answers without a request: the bytes are written to the socket. */
function endWith(refusal: Refusal, socket: Socket): void {
  const { status, errors } = refusal
  countRefusal(refusal)
  const request_id = newRequestId({ headers: {} })
  const body = JSON.stringify(failure(errors, request_id))
  const retryAfter = headersOfStatus[status]?.['retry-after']
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : 'Refused'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${request_id}`,
      ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function brokenRequestRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers_too_large', {})
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request_timed_out', {})
  return new Refusal('malformed_request', { reason: 'it is not valid HTTP/1.1' })
}

const overloaded = new Refusal('overloaded', {})

/** Answers without Fastify and without a log line: refusing takes about 60 µs instead of 190 µs. A metric counts them. */
export function answerOverloaded(request: IncomingMessage, response: ServerResponse): void {
  answerDirectly(overloaded, request, response)
}

/** Answers a request whose key or address is over its limit. */
export function answerHeldBack(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
  answerDirectly(refusal, request, response)
}

export function answerUnmetExpectation(request: IncomingMessage, response: ServerResponse): void {
  const expect = printable(request.headers.expect ?? '')
  answerDirectly(new Refusal('expectation_failed', { expect }), request, response)
}

/** Answers a request whose target or headers are refused. */
export function answerBadHead(request: IncomingMessage, response: ServerResponse, reason: string): void {
  answerDirectly(new Refusal('malformed_request', { reason }), request, response)
}

function answerDirectly(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
  const { status, errors } = refusal
  countRefusal(refusal)
  const id = newRequestId(request)
  const body = JSON.stringify(failure(errors, id))
  response
    .writeHead(status, {
      ...protectiveHeaders,
      'x-request-id': id,
      ...headersOfStatus[status],
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

const processId = randomBytes(6).toString('base64url')
let requestCount = 0

/** The client's own X-Request-Id if it is a plain word, so that both logs can be compared; otherwise that of its trace, or a new one. */
export function newRequestId({ headers }: Pick<IncomingMessage, 'headers'>, idOfTrace?: string): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && /^[\w.-]{1,64}$/.test(own)
    ? own
    : (idOfTrace ?? `${processId}-${(requestCount++).toString(36)}`)
}
