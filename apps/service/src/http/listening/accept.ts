/**
 * Accepts requests before Fastify sees them: each connection has one request in progress, sources over their limit are
 * held back, the head is checked, and under overload it is refused.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { answerBadHead, answerOverloaded, answerUnmetExpectation } from '../answer-failure.ts'
import type { HoldBack } from '../limits/hold-back.ts'
import type { Shedding } from '../limits/shedding.ts'

/**
 * The time before a process stops: it still answers every request, but `/readyz` is 503 and answers close their
 * connections, so that a load balancer sends no more of them.
 */
export interface Drain {
  isStarted: boolean
}

interface Acceptance {
  readonly requestTimeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly drain: Drain
  readonly holdBack: HoldBack | undefined
  readonly shedding: Shedding | undefined
}

const silenceMaxMs = 30_000 // Longer than any answer is delayed on purpose.

/** `listen` makes the server that passes what is accepted on to `answer`. */
export function acceptRequests({ requestTimeoutMs, corsOrigins, drain, holdBack, shedding }: Acceptance) {
  const { inTurn, watch, afterAnswers } = oneAtATime()

  const checked = (answer: RequestListener): RequestListener =>
    inTurn((request, response) => {
      if (drain.isStarted) response.shouldKeepAlive = false // Also for answers that Fastify does not see.
      if (corsOrigins.length > 0) allowOrigin(corsOrigins, request, response)
      // Nothing is upgraded, but Node's parser drops what arrives together with such a request, after it.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      if (holdBack?.holds(request, response) === true) return
      const problem = problemOfTarget(request) ?? repeatedHeader(request.rawHeaders)
      if (problem === undefined) return answer(request, response)
      holdBack?.noteKeyless(request)
      answerBadHead(request, response, problem)
    })

  function listen(answer: RequestListener): Server {
    const server = createServer(
      {
        requireHostHeader: false, // Node would answer on its own, in another shape; no route depends on the host.
        connectionsCheckingInterval: 1_000, // The precision of headersTimeout.
        headersTimeout: requestTimeoutMs,
        requestTimeout: 0, // Bodies have a limit of their own, since an import's body may take long.
        keepAliveTimeout: 72_000, // Longer than a load balancer's usual 60 seconds, so that the balancer closes first.
      },
      checked((request, response) => {
        // By the request line and whose key it has, unchecked. Refusing must cost a fraction of answering.
        if (shedding?.refuses(request) === true) answerOverloaded(request, response)
        else answer(request, response)
      }),
    )
    // An `Expect` other than 100-continue. Without a listener Node would answer on its own, in another shape.
    const unmet: RequestListener = (request, response) => {
      holdBack?.noteKeyless(request)
      answerUnmetExpectation(request, response)
    }
    server.on('checkExpectation', checked(unmet)).on('connection', watch)
    return server.setTimeout(Math.max(requestTimeoutMs, silenceMaxMs))
  }

  return { listen, afterAnswers }
}

const plainTarget = /^\/[^%#?]*(?:\?[^#]*)?$/

/** One of the characters that need no encoding (RFC 3986, section 2.3). */
const encodedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9ae])/gi

/**
 * Why the target is refused; undefined if it is accepted. In a path of the client API, an encoded letter, digit or mark is
 * the character. Other paths have one spelling: `/%6Fperator/` is refused, since a proxy in front that keeps clients away
 * from operators' paths would not apply its rule to it. The absolute form, `http://host/path`, becomes the path.
 */
function problemOfTarget(request: IncomingMessage): string | undefined {
  const { url = '' } = request
  if (plainTarget.test(url) || url === '*') return undefined
  if (url.includes('#')) return 'the target has a fragment (#)'
  const [absolute, rest = ''] = /^https?:\/\/[^/?]+([/?].*)?$/i.exec(url) ?? []
  const target = absolute === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  if (!target.startsWith('/')) return 'the target is neither a path nor a URL of http or https'
  const [path = ''] = target.split('?', 1)
  const decoded = path.replaceAll(encodedUnreserved, decodeURIComponent)
  request.url = decoded + target.slice(path.length)
  const [encoded] = path.match(encodedUnreserved) ?? []
  if (encoded === undefined || decoded.startsWith('/api/')) return undefined
  return `the path has ${encoded}; write ${decodeURIComponent(encoded)} unencoded`
}

/** By length. Node keeps the first of these and drops the others, where a proxy may have looked at the last. */
const onlyOnce: Readonly<Record<number, string>> = { 4: 'host', 12: 'content-type', 13: 'authorization' }

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const known = onlyOnce[name.length]
    if (known === undefined || name.toLowerCase() !== known) continue
    if (seen.includes(known)) return `the header ${name} is sent more than once`
    seen.push(known)
  }
  return undefined
}

const exposedHeaders =
  'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Link, ETag, Deprecation, Sunset, WWW-Authenticate'
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'
const methods = 'GET, HEAD, PUT, PATCH, POST, DELETE'
const preflightSeconds = '7200' // Chromium keeps the answer to a preflight for at most two hours.

/**
 * Lets pages of the configured origins call the API from a browser. The headers are set before anything else is done, so
 * every response has them, refusals under overload and broken paths included. @fastify/cors would leave those out, and
 * would answer OPTIONS on paths that do not exist.
 */
function allowOrigin(origins: readonly string[], request: IncomingMessage, response: ServerResponse): void {
  const { origin, 'access-control-request-method': preflight } = request.headers
  response.setHeader('vary', 'Origin')
  if (origin === undefined || !origins.includes(origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', exposedHeaders)
  if (request.method === 'OPTIONS' && preflight !== undefined) {
    response.setHeader('access-control-allow-methods', methods)
    response.setHeader('access-control-allow-headers', requestHeaders)
    response.setHeader('access-control-max-age', preflightSeconds)
  }
}

/**
 * About 100 KB of memory. Clients that pipeline at all send a few at a time. When another one arrives, the connection is cut,
 * since Node keeps every request that it has parsed until then: 78 KB of them are 2,000.
 */
export const waitingMax = 16

interface OneAtATime {
  /** The listener is called when it is the request's turn. */
  readonly inTurn: (answer: RequestListener) => RequestListener
  /** To be called with each new connection. */
  readonly watch: (socket: Socket) => void
  /** Calls back, once for a connection, when everything that arrived on it before has been answered. */
  readonly afterAnswers: (socket: Socket, then: () => void) => void
}

interface Waiting {
  readonly response: ServerResponse
  readonly start: () => void
}

/**
 * One request in progress per connection. Node starts a pipelined request as soon as it has arrived, however many are
 * unanswered; 78 KB of them could occupy the service for half a minute. Here each waits until the answer before it has
 * been handed to the operating system, which a client that reads no answers prevents. What waits when the connection is
 * gone is never started.
 */
function oneAtATime(): OneAtATime {
  const latest = new WeakMap<Socket, ServerResponse>()
  const queues = new WeakMap<Socket, Waiting[]>()
  const ending = new WeakSet<Socket>()

  /** Node gives a response its socket when the responses before it have been sent: until then it has none. */
  const isInTurn = ({ socket }: ServerResponse): boolean => socket !== null

  function wait(socket: Socket, waiting: Waiting): void {
    const before = latest.get(socket)
    if (before === undefined || !before.shouldKeepAlive) return // The connection closes after the answer before this one.
    const queue = queues.get(socket) ?? []
    if (queue.length === waitingMax) {
      socket.destroy()
      return
    }
    if (queue.length === 0) before.once('close', () => startNext(socket))
    queue.push(waiting)
    queues.set(socket, queue)
    latest.set(socket, waiting.response)
  }

  function startNext(socket: Socket): void {
    const queue = queues.get(socket) ?? []
    const next = queue.shift()
    if (next === undefined) return
    if (!socket.writable || !isInTurn(next.response)) {
      queue.length = 0
      return
    }
    if (queue.length > 0) next.response.once('close', () => startNext(socket))
    next.start()
  }

  return {
    inTurn: (answer) => (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request
      if (!isInTurn(response)) return wait(socket, { response, start: () => answer(request, response) })
      if (!socket.writable) return undefined
      latest.set(socket, response)
      answer(request, response)
    },
    watch: dropAfterCut,
    afterAnswers: (socket, then) => {
      if (ending.has(socket)) return
      ending.add(socket)
      const response = latest.get(socket)
      // With a body that is not complete, it is this request that waits.
      if (response === undefined || response.closed || !response.req.complete) then()
      else response.once('close', then)
    },
  }
}

/** What Node adds to a socket; not documented, so that it may be absent in a later version. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming?: ((request: IncomingMessage, keepAlive: boolean) => number) | null } | null
}

/**
 * After a connection is cut, Node's parser continues with the up to 64 KB that it has read, and Node makes and keeps a
 * response for each request. This drops them before that. Without it, 100 connections took 459 MB instead of 300 for a moment;
 * nothing that Node documents stops its parser.
 */
function dropAfterCut(socket: ParsedSocket): void {
  const { parser } = socket
  const accept = parser?.onIncoming
  if (parser === undefined || parser === null || typeof accept !== 'function') return
  parser.onIncoming = (request, keepAlive) => (socket.destroyed ? 0 : accept(request, keepAlive))
}
