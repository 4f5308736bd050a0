/** The operator API, as the commands use it. */
import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { exitCodes, NotReached, Problem, RefusedByService, type ServiceError } from './problem.ts'
import type { CliSettings } from './settings.ts'

type Query = Readonly<Record<string, string | number | undefined>>

export interface Service {
  /** Returns `data` of the answer. */
  readonly ask: <T>(method: string, path: string, wish?: { query?: Query; json?: object }) => Promise<T>
  /** Sends a file. */
  readonly send: <T>(path: string, wish: { query: Query; type: string; body: AsyncIterable<Buffer> }) => Promise<T>
  /** The rows of a list, page by page, `most` at most; then tells by returning true whether there are more. */
  readonly list: <T>(path: string, query: Query, most?: number) => AsyncGenerator<T, boolean>
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
  readonly body?: string | AsyncIterable<Buffer>
}

const pageSizeMax = 500 // The largest that the service gives.

/** The settings are read when something is asked: some commands ask nothing, and then need no key. */
export function connect(settings: () => CliSettings): Service {
  async function answerTo<T>({ method, path, query = {}, type, body }: ServiceRequest): Promise<Body<T>> {
    const { url, key } = settings()
    const target = `${url}${path}${queryString(query)}`
    const headers = {
      authorization: key,
      accept: 'application/json',
      ...(type !== undefined && { 'content-type': type }),
    }
    const answer = await exchange(target, { method, headers }, body).catch((error: unknown) => {
      throw error instanceof Problem ? error : notReached(url, error)
    })
    return read<T>(url, answer)
  }

  return {
    ask: async (method, path, { query, json } = {}) => {
      const body = json === undefined ? {} : { type: 'application/json', body: JSON.stringify(json) }
      return (await answerTo<never>({ method, path, query, ...body })).data
    },
    send: async (path, wish) => (await answerTo<never>({ method: 'POST', path, ...wish })).data,
    list: async function* <T>(path: string, query: Query, most = Infinity) {
      let cursor: string | undefined
      for (let left = most; left > 0;) {
        const page = { ...query, limit: Math.min(left, pageSizeMax), cursor }
        const { data, paging } = await answerTo<T[]>({ method: 'GET', path, query: page })
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

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/**
 * Not `fetch`, which gives up when no answer has begun after five minutes: checking a large database takes longer,
 * and an answer that comes while a file is still being sent would be lost.
 */
async function exchange(
  target: string,
  options: http.RequestOptions,
  body: ServiceRequest['body'] = '',
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const request = (target.startsWith('https:') ? https : http).request(target, options, resolve)
  request.on('error', reject)
  const sent = typeof body === 'string' ? void request.end(body) : pipeline(body, request)
  // When the other side does not want to read on, its answer tells why; without one, the failure itself does.
  sent?.catch(reject)
  const response = await promise
  const answer = { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  if (!request.writableFinished) request.destroy()
  return answer
}

function read<T>(url: string, { status, headers, text: body }: Answer): Body<T> {
  const parsed = parse(body)
  if (parsed?.status === 'ok') return parsed as Body<T>
  if (parsed?.status === 'fail' && Array.isArray(parsed.errors) && parsed.errors.length > 0)
    throw new RefusedByService(status, { ...parsed, errors: parsed.errors })
  const { location } = headers
  throw new Problem(
    exitCodes.unreachable,
    location === undefined
      ? `What answers at ${url} is not the Parts Ordering Service (status ${status}).`
      : `${url} refers to ${location} (status ${status}).`,
    'Set PARTS_URL or --url to the address of the service itself.',
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
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that host',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
}

function notReached(url: string, error: unknown): NotReached {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new NotReached(
    exitCodes.unreachable,
    `The service at ${url} cannot be reached: ${reasons[code] ?? (message || code)}.`,
    'Is it running, and is PARTS_URL (or --url) right?',
    { cause: error },
  )
}
