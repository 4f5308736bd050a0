/** The operator API for the commands. */
import http from 'node:http'
import https from 'node:https'
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
  /** Returns `data` of the response. */
  readonly call: <T>(method: string, path: string, request?: { query?: Query; json?: object }) => Promise<T>
  /** Sends a file. */
  readonly send: <T>(path: string, request: { query: Query; type: string; body: AsyncIterable<Buffer> }) => Promise<T>
  /** Yields at most `max` rows of a list, page by page, and returns whether there are more. */
  readonly list: <T>(path: string, query: Query, max?: number) => AsyncGenerator<T, boolean>
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
    call: <T>(method: string, path: string, { query, json }: { query?: Query; json?: object } = {}) =>
      use((client) => client.request<T>(method, path, { query, json, once: method === 'POST' })),
    send: <T>(path: string, { query, type, body }: { query: Query; type: string; body: AsyncIterable<Buffer> }) =>
      use((client) => client.request<T>('POST', path, { query, headers: { 'content-type': type }, body })),
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
