/** The operator API for the commands. */
import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  ConnectionError,
  createOperatorClient,
  RefusedError,
  UnexpectedAnswerError,
  type PartsOperatorClient,
  type RefusedWith,
} from '@parts-ordering/client/operator'
import { errorCode, exitCodes, errorMessage, NotReached, Problem, RefusedByService } from './problem.ts'
import type { CliSettings } from './settings.ts'

type Query = Readonly<Record<string, string | number | undefined>>

export interface Service {
  /** Returns `data` of the response. With `idempotencyKey`, which the operation must take, a POST is repeated too. */
  readonly call: <T>(
    method: string,
    path: string,
    request?: { query?: Query; json?: object; idempotencyKey?: string },
  ) => Promise<T>
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

const pageSizeMax = 500 // The limit of the service.
const timeoutMs = 2 ** 30 // None: checking a large database takes longer than anyone would guess.
const retries = 2 // A person waits: an unreachable service is reported after a second.

/** The settings are read with the first request: a command that sends none needs no key. */
export function connect(settings: () => CliSettings): Service {
  let client: PartsOperatorClient | undefined

  async function use<T>(act: (client: PartsOperatorClient) => Promise<T>): Promise<T> {
    const { url, key } = settings()
    client ??= createOperatorClient({ url, key, timeoutMs, retries, fetch: exchange })
    try {
      return await act(client)
    } catch (error) {
      throw problemOf(url, error)
    }
  }

  return {
    // Most POSTs take no Idempotency-Key: after a lost response the operator looks before sending it again.
    call: <T>(method: string, path: string, { query, json, idempotencyKey }: Parameters<Service['call']>[2] = {}) => {
      const once = method === 'POST' && idempotencyKey === undefined
      return use((client) => client.request<T>(method, path, { query, json, idempotencyKey, once }))
    },
    send: <T>(path: string, { query, type, fileName, body }: SentFile) => {
      const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`
      const headers = { 'content-type': type, 'content-disposition': disposition }
      return use((client) => client.request<T>('POST', path, { query, headers, body }))
    },
    open: async (path, { query = {}, accept }) => {
      const { url, key } = settings()
      const headers = { authorization: key, accept: `${accept}, application/json;q=0.1` }
      const message = await read(`${url}${path}${queryString(query)}`, headers).catch((error: unknown) => {
        throw notReached(url, error)
      })
      if (message.headers['content-type']?.startsWith(accept) === true) return message
      message.destroy()
      await use((client) => client.request('GET', path, { query, headers: { accept } })) // Throws the refusal.
      throw new Problem(exitCodes.unreachable, `The service at ${url} is too old: it does not offer ${accept}.`)
    },
    list: async function* <T>(path: string, query: Query, max = Infinity) {
      let cursor: string | undefined
      for (let left = max; left > 0;) {
        const page = { ...query, limit: Math.min(left, pageSizeMax), cursor }
        const { data, next_cursor } = await use(async (client) => await client.list<T>(path, page))
        yield* data
        left -= data.length
        if (next_cursor === null) return false
        cursor = next_cursor
      }
      return true
    },
  }
}

function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

async function read(target: string, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  ;(target.startsWith('https:') ? https : http).get(target, { headers }, resolve).on('error', reject)
  return promise
}

/**
 * Not the global `fetch`, which times out after five minutes without a response: checking a large database takes longer,
 * and a response that arrives while a file is still being sent would be lost.
 */
async function exchange(target: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const options = { method, headers: headers as Record<string, string> }
  const request = (target.startsWith('https:') ? https : http).request(target, options, resolve)
  request.on('error', reject)
  const isText = typeof body === 'string' || body == null
  const sent = isText ? void request.end(body ?? '') : pipeline(body as AsyncIterable<Buffer>, request)
  // If the service stops reading, its response says why; without a response, the error does.
  sent?.catch(reject)
  const message = await promise
  const received = await text(message)
  if (!request.writableFinished) request.destroy()
  const given = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(received || null, { status: message.statusCode ?? 0, headers: given })
}

function problemOf(url: string, error: unknown): unknown {
  if (error instanceof RefusedError) {
    const { status, errors, requestId } = error as RefusedWith<string, Record<string, unknown>>
    return new RefusedByService(status, { status: 'fail', errors, request_id: requestId })
  }
  if (error instanceof ConnectionError)
    return error.cause instanceof Problem ? error.cause : notReached(url, error.cause)
  if (!(error instanceof UnexpectedAnswerError)) return error
  const { status, headers } = error
  const location = headers.get('location')
  return new Problem(
    exitCodes.unreachable,
    location === null
      ? `The server at ${url} is not the Parts Ordering Service (status ${status}).`
      : `${url} redirects to ${location} (status ${status}).`,
    'Set PARTS_URL or --url to the URL of the service.',
  )
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
