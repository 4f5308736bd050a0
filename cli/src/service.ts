/** The operator API for the commands. */
import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  errorCode,
  exitCodes,
  errorMessage,
  NotReached,
  Problem,
  RefusedByService,
  type ServiceError,
} from './problem.ts'
import type { CliSettings } from './settings.ts'

type Query = Readonly<Record<string, string | number | undefined>>

export interface Service {
  /** Returns `data` of the response. */
  readonly call: <T>(method: string, path: string, request?: { query?: Query; json?: object }) => Promise<T>
  /** Sends a file. */
  readonly send: <T>(path: string, request: SentFile) => Promise<T>
  /** A response that is not JSON, to be read as it arrives. */
  readonly open: (path: string, request: { query?: Query; accept: string }) => Promise<Readable>
  /** Yields at most `max` rows of a list, page by page, and returns whether there are more. */
  readonly list: <T>(path: string, query: Query, max?: number) => AsyncGenerator<T, boolean>
}

interface SentFile {
  readonly query: Query
  readonly type: string
  readonly fileName: string
  readonly body: AsyncIterable<Buffer>
}

interface Body<T> {
  readonly status: 'ok'
  readonly data: T
  readonly paging?: { readonly next_cursor: string | null }
}

interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly query?: Query | undefined
  readonly type?: string
  readonly fileName?: string
  readonly body?: string | AsyncIterable<Buffer>
}

const pageSizeMax = 500 // The limit of the service.

/** The settings are read with the first request: a command that sends none needs no key. */
export function connect(settings: () => CliSettings): Service {
  async function respond<T>({ method, path, query = {}, type, fileName, body }: ServiceRequest): Promise<Body<T>> {
    const { url, key } = settings()
    const target = `${url}${path}${queryString(query)}`
    const headers = {
      authorization: key,
      accept: 'application/json',
      ...(type !== undefined && { 'content-type': type }),
      ...(fileName !== undefined && {
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
      }),
    }
    const response = await exchange(target, { method, headers }, body).catch((error: unknown) => {
      throw error instanceof Problem ? error : notReached(url, error)
    })
    return read<T>(url, response)
  }

  return {
    call: async (method, path, { query, json } = {}) => {
      const body = json === undefined ? {} : { type: 'application/json', body: JSON.stringify(json) }
      return (await respond<never>({ method, path, query, ...body })).data
    },
    send: async (path, { query, type, fileName, body }) =>
      (await respond<never>({ method: 'POST', path, query, type, fileName, body })).data,
    open: async (path, { query = {}, accept }) => {
      const { url, key } = settings()
      const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
      const headers = { authorization: key, accept: `${accept}, application/json;q=0.1` }
      const target = `${url}${path}${queryString(query)}`
      ;(target.startsWith('https:') ? https : http).get(target, { headers }, resolve).on('error', reject)
      const message = await promise.catch((error: unknown) => {
        throw notReached(url, error)
      })
      if (message.headers['content-type']?.startsWith(accept) === true) return message
      const { statusCode: status = 0 } = message
      read(url, { status, headers: message.headers, text: await text(message) }) // Throws the refusal.
      throw new Problem(exitCodes.unreachable, `The service at ${url} is too old: it does not offer ${accept}.`)
    },
    list: async function* <T>(path: string, query: Query, max = Infinity) {
      let cursor: string | undefined
      for (let left = max; left > 0;) {
        const page = { ...query, limit: Math.min(left, pageSizeMax), cursor }
        const { data, paging } = await respond<T[]>({ method: 'GET', path, query: page })
        yield* data
        left -= data.length
        cursor = paging?.next_cursor ?? undefined
        if (cursor === undefined) return false
      }
      return true
    },
  }
}

function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

interface RawResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/**
 * Not `fetch`, which times out after five minutes without a response: checking a large database takes longer, and a
 * response that arrives while a file is still being sent would be lost.
 */
async function exchange(
  target: string,
  options: http.RequestOptions,
  body: ServiceRequest['body'] = '',
): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const request = (target.startsWith('https:') ? https : http).request(target, options, resolve)
  request.on('error', reject)
  const sent = typeof body === 'string' ? void request.end(body) : pipeline(body, request)
  // If the service stops reading, its response says why; without a response, the error does.
  sent?.catch(reject)
  const message = await promise
  const response = { status: message.statusCode ?? 0, headers: message.headers, text: await text(message) }
  if (!request.writableFinished) request.destroy()
  return response
}

function read<T>(url: string, { status, headers, text: body }: RawResponse): Body<T> {
  const parsed = parse(body)
  if (parsed?.status === 'ok') return parsed as Body<T>
  if (parsed?.status === 'fail' && Array.isArray(parsed.errors) && parsed.errors.length > 0)
    throw new RefusedByService(status, { ...parsed, errors: parsed.errors })
  const { location } = headers
  throw new Problem(
    exitCodes.unreachable,
    location === undefined
      ? `The server at ${url} is not the Parts Ordering Service (status ${status}).`
      : `${url} redirects to ${location} (status ${status}).`,
    'Set PARTS_URL or --url to the URL of the service.',
  )
}

function parse(body: string): { status?: string; errors?: ServiceError[] } | null {
  try {
    return JSON.parse(body) as { status?: string } | null
  } catch {
    return null
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
}

function notReached(url: string, error: unknown): NotReached {
  return new NotReached(
    exitCodes.unreachable,
    `Cannot reach the service at ${url}: ${reasons[errorCode(error)] ?? errorMessage(error)}.`,
    'Check that it is running and that PARTS_URL or --url is correct.',
    { cause: error },
  )
}
