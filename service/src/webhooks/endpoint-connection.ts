/** One request to an endpoint: to a checked address, within limits of time and size, without following where an answer points to. */
import http from 'node:http'
import https from 'node:https'
import net, { isIP } from 'node:net'
import tls from 'node:tls'
import { AddressRefused, hostOf, readUrl, resolvePublic, type Resolve, type Where } from './public-address.ts'

const connectMsMax = 5_000
const wholeMsMax = 15_000
const responseBytesMax = 64 * 1024 // Of an answer only the status counts; whoever says more is cut off.

/** Opens the connection; tests put one in place that opens none. */
export type Connect = (to: { address: string; port: number; host: string; secure: boolean }) => net.Socket

export interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Outcome {
  /** Null when no answer came. */
  readonly status: number | null
  /** A word that says why none came. */
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly durationMs: number
}

/** A way to one endpoint. Its requests follow one another, over the same connection as far as the other side keeps it. */
export interface Line {
  readonly post: (post: Post, given?: AbortSignal) => Promise<Outcome>
  readonly close: () => void
}

export interface LineParts {
  readonly where: Where
  readonly resolve: Resolve
  readonly connect?: Connect
  /** Within which an answer must begin; shorter in tests. */
  readonly answerMsMax?: number
}

export function openLine(
  text: string,
  { where, resolve, connect = openSocket, answerMsMax = wholeMsMax }: LineParts,
): Line {
  const url = readUrl(text, where) // What may be sent to may have changed since the address was stored.
  const secure = url?.protocol === 'https:'
  const agent = new (secure ? https.Agent : http.Agent)({ keepAlive: true, maxSockets: 1 })
  let address: string | undefined
  agent.createConnection = () =>
    connect({
      address: address ?? '',
      port: Number(url?.port) || (secure ? 443 : 80),
      host: url === undefined ? '' : hostOf(url),
      secure,
    })

  const attempt = async (post: Post, given: AbortSignal): Promise<Answered> => {
    if (url === undefined) throw new AddressRefused(text)
    const limit = AbortSignal.any([given, AbortSignal.timeout(answerMsMax)])
    address ??= await within(limit, resolvePublic(url, where, { resolve, signal: limit }))
    try {
      return await exchange(url, agent, post, limit)
    } catch (error) {
      // The other side may close a connection that was kept at the very moment in which it is used again.
      if (!(error instanceof StaleConnection)) throw error
      return await exchange(url, agent, post, limit)
    }
  }

  return {
    post: async (post, given = AbortSignal.any([])) => {
      const started = performance.now()
      const durationMs = (): number => Math.round(performance.now() - started)
      try {
        const answered = await attempt(post, given)
        return { ...answered, error: null, durationMs: durationMs() }
      } catch (error) {
        return { status: null, error: wordFor(error), retryAfter: undefined, durationMs: durationMs() }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The certificate is held against the name, though the connection is made to the address. */
const openSocket: Connect = ({ address, port, host, secure }) => {
  const socket = secure
    ? tls.connect({
        host: address,
        port,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['http/1.1'],
      })
    : net.connect({ host: address, port })
  const late = setTimeout(() => socket.destroy(new Error('connect timeout')), connectMsMax).unref()
  return socket
    .once(secure ? 'secureConnect' : 'connect', () => clearTimeout(late))
    .once('close', () => clearTimeout(late))
}

interface Answered {
  readonly status: number
  readonly retryAfter: string | undefined
}

class StaleConnection extends Error {}

/** Ends at the limit whatever happens: with the answer, if one has begun by then. */
function exchange(url: URL, agent: http.Agent, { headers, body }: Post, limit: AbortSignal): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  let answered: Answered | undefined
  const stop = (): void => (answered === undefined ? reject(limit.reason as Error) : resolve(answered))
  limit.addEventListener('abort', stop, { once: true }) // Before the request listens to it, which breaks off the answer.
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    agent,
    signal: limit,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'parts-ordering-service',
      ...headers,
    },
  })
  request.on('error', (error) => {
    reject(request.reusedSocket && !limit.aborted ? new StaleConnection('', { cause: error }) : error)
  })
  // Somebody who wants to speak something else. Without a listener Node closes the connection and tells nobody.
  request.on('upgrade', (response, socket) => {
    resolve(answeredBy(response))
    socket.destroy()
  })
  request.on('close', () => {
    if (answered === undefined) reject(new Error('closed'))
  })
  request.on('response', (response) => {
    answered = answeredBy(response)
    const whole = answered
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= responseBytesMax) return
      resolve(whole)
      response.destroy()
    })
    response.on('end', () => resolve(whole))
    response.on('error', reject)
    response.on('close', () => reject(new Error('closed')))
  })
  request.end(body)
  return promise.finally(() => limit.removeEventListener('abort', stop))
}

const answeredBy = ({ statusCode = 0, headers }: http.IncomingMessage): Answered => ({
  status: statusCode,
  retryAfter: headers['retry-after'],
})

/** Leaves off waiting at the limit, for what cannot be told to stop. */
function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(limit.reason as Error)
    if (limit.aborted) stop()
    limit.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => limit.removeEventListener('abort', stop))
  })
}

/** What the log of deliveries says, in one word: enough for the owner to know where to look, and nothing about our network. */
function wordFor(error: unknown): string {
  if (error instanceof AddressRefused) return 'address_not_allowed'
  const { name = '', code = '', message = '' } = error as Partial<Record<'name' | 'code' | 'message', string>>
  if (/^(TimeoutError|AbortError)$/.test(name) || /timeout/i.test(message) || code === 'ETIMEDOUT') return 'timeout'
  if (/^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_|EBADNAME|ECANCELLED|ETIMEOUT)/.test(code)) return 'name_not_resolved'
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)/.test(code)) return 'not_reachable'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO/.test(code)) return 'tls_failed'
  if (code.startsWith('HPE_')) return 'not_http'
  return 'connection_lost'
}
