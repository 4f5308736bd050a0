/** Requests to one endpoint: to a checked address, with limits on time and size, without following redirects. */
import http from 'node:http'
import https from 'node:https'
import net, { isIP } from 'node:net'
import tls from 'node:tls'
import {
  AddressRefused,
  hostOf,
  readUrl,
  resolvePublic,
  type AddressPolicy,
  type ResolveHost,
} from '../public-address.ts'

const connectMsMax = 5_000
const responseMsMax = 15_000
const resolvedMsMax = 5_000 // A connection opened later looks the name up again: the endpoint may have moved.
const responseBytesMax = 64 * 1024 // Only the status of a response matters; a longer body is cut off.

/** Opens a socket; tests replace it. */
export type OpenSocket = (to: { address: string; port: number; host: string; secure: boolean }) => net.Socket

export interface WebhookPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PostResult {
  /** Null if there was no response. */
  readonly status: number | null
  /** Why there was no response, as the delivery log shows it. */
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly durationMs: number
}

/** Sends one request after another, over one connection as long as the endpoint keeps it open. */
export interface EndpointConnection {
  readonly post: (post: WebhookPost, cancelled?: AbortSignal) => Promise<PostResult>
  /** Whether the next request can use the connection of the last one. */
  readonly isOpen: () => boolean
  readonly close: () => void
}

export interface EndpointConnectionOptions {
  readonly policy: AddressPolicy
  readonly resolve: ResolveHost
  readonly openSocket?: OpenSocket
  /** How long a response may take; tests set it. */
  readonly timeoutMs?: number
}

export function openEndpointConnection(
  text: string,
  { policy, resolve, openSocket = connectSocket, timeoutMs = responseMsMax }: EndpointConnectionOptions,
): EndpointConnection {
  const url = readUrl(text, policy) // The policy may have changed since the URL was stored.
  const secure = url?.protocol === 'https:'
  const agent = new (secure ? https.Agent : http.Agent)({ keepAlive: true, maxSockets: 1 })
  let address: string | undefined
  let resolvedAt = 0
  const isOpen = (): boolean =>
    Object.values(agent.freeSockets).some((sockets) => sockets?.some(({ destroyed }) => !destroyed) === true)
  agent.createConnection = () =>
    openSocket({
      address: address ?? '',
      port: Number(url?.port) || (secure ? 443 : 80),
      host: url === undefined ? '' : hostOf(url),
      secure,
    })

  const locate = async (of: URL, deadline: AbortSignal): Promise<void> => {
    if (isOpen() || (address !== undefined && performance.now() - resolvedAt < resolvedMsMax)) return
    address = await before(deadline, resolvePublic(of, policy, { resolve, signal: deadline }))
    resolvedAt = performance.now()
  }

  const send = async (post: WebhookPost, cancelled: AbortSignal): Promise<WebhookResponse> => {
    if (url === undefined) throw new AddressRefused(text)
    const deadline = AbortSignal.any([cancelled, AbortSignal.timeout(timeoutMs)])
    await locate(url, deadline)
    try {
      return await exchange(url, agent, post, deadline)
    } catch (error) {
      // The endpoint may close a kept-alive connection just when it is used again.
      if (!(error instanceof StaleConnection)) throw error
      await locate(url, deadline)
      return await exchange(url, agent, post, deadline)
    }
  }

  return {
    post: async (post, cancelled = AbortSignal.any([])) => {
      const started = performance.now()
      const durationMs = (): number => Math.round(performance.now() - started)
      try {
        const { status, retryAfter } = await send(post, cancelled)
        return { status, error: null, retryAfter, durationMs: durationMs() }
      } catch (error) {
        return { status: null, error: errorWord(error), retryAfter: undefined, durationMs: durationMs() }
      }
    },
    isOpen,
    close: () => agent.destroy(),
  }
}

/** Connects to the address, and verifies the certificate against the host name. */
const connectSocket: OpenSocket = ({ address, port, host, secure }) => {
  const socket = secure
    ? tls.connect({
        host: address,
        port,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['http/1.1'],
      })
    : net.connect({ host: address, port })
  const timeout = setTimeout(() => socket.destroy(new Error('connect timeout')), connectMsMax).unref()
  return socket
    .once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timeout))
    .once('close', () => clearTimeout(timeout))
}

interface WebhookResponse {
  readonly status: number
  readonly retryAfter: string | undefined
}

class StaleConnection extends Error {}

/** Always ends at the deadline: with the response, if it has started by then. */
function exchange(
  url: URL,
  agent: http.Agent,
  { headers, body }: WebhookPost,
  deadline: AbortSignal,
): Promise<WebhookResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookResponse>()
  let started: WebhookResponse | undefined
  const stop = (): void => (started === undefined ? reject(abortError(deadline)) : resolve(started))
  // Before the request adds its own listener, which aborts the response.
  deadline.addEventListener('abort', stop, { once: true })
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    agent,
    signal: deadline,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'parts-ordering-service',
      ...headers,
    },
  })
  request.on('error', (error) => {
    reject(request.reusedSocket && !deadline.aborted ? new StaleConnection('', { cause: error }) : error)
  })
  // A response with status 101. Without a listener Node closes the connection without an event.
  request.on('upgrade', (response, socket) => {
    resolve(responseOf(response))
    socket.destroy()
  })
  request.on('close', () => {
    if (started === undefined) reject(new Error('closed'))
  })
  request.on('response', (response) => {
    const received = responseOf(response)
    started = received
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= responseBytesMax) return
      resolve(received)
      response.destroy()
    })
    response.on('end', () => resolve(received))
    response.on('error', reject)
    response.on('close', () => reject(new Error('closed')))
  })
  request.end(body)
  return promise.finally(() => deadline.removeEventListener('abort', stop))
}

const responseOf = ({ statusCode = 0, headers }: http.IncomingMessage): WebhookResponse => ({
  status: statusCode,
  retryAfter: headers['retry-after'],
})

/** Stops waiting at the deadline, for work that cannot be cancelled. */
function before<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortError(deadline))
    if (deadline.aborted) stop()
    deadline.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => deadline.removeEventListener('abort', stop))
  })
}

const abortError = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('aborted', { cause: reason })

/** What the delivery log shows: enough for the owner to find the cause, and nothing about our network. */
function errorWord(error: unknown): string {
  if (error instanceof AddressRefused) return 'address_not_allowed'
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(TimeoutError|AbortError)$/.test(name) || /timeout/i.test(message) || code === 'ETIMEDOUT') return 'timeout'
  if (/^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_|EBADNAME|ECANCELLED|ETIMEOUT)/.test(code)) return 'name_not_resolved'
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)/.test(code)) return 'not_reachable'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO/.test(code)) return 'tls_failed'
  if (code.startsWith('HPE_')) return 'not_http'
  return 'connection_lost'
}
