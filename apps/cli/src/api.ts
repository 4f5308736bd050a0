/** The operator API for the commands: the typed client, and what its errors mean at a terminal. */
import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ConnectionError,
  createOperatorClient,
  RefusedError,
  UnexpectedAnswerError,
  type PartsOperatorClient,
} from '@parts-ordering/client/operator'
import { watch } from './lost-answers.ts'
import { errorCode, exitCodes, errorMessage, Problem, RefusedRequest } from './problem.ts'
import type { CliSettings } from './settings.ts'

const timeoutMs = 2 ** 30 // None: checking a large database takes longer than anyone would guess.
const retries = 2 // A person waits: an unreachable service is reported after a second.

export type Api = PartsOperatorClient

export interface ApiConnection {
  /**
   * Reads the settings with the first call: a command that sends no request needs no key. To be called when the
   * command's arguments have been checked, so that a mistake in them is reported first.
   */
  readonly api: () => Api
  /** Whether the last request may have changed something, although it failed with this error. */
  readonly mayBeDone: (error: unknown) => boolean
  /** What to print about an error of the client, with this advice instead of the usual; others are returned as they are. */
  readonly problemOf: (error: unknown, advice?: string) => unknown
}

const lookFirst = 'It may have been done: look before you send it again.'

export function connect(read: () => CliSettings): ApiConnection {
  let url = ''
  let client: Api | undefined
  const { fetch, onRetry, mayBeDone } = watch(exchange)
  const open = (): Api => {
    const settings = read()
    url = settings.url
    return createOperatorClient({ ...settings, timeoutMs, retries, once: true, fetch, onRetry })
  }
  return {
    api: () => (client ??= open()),
    mayBeDone,
    problemOf: (error, advice = mayBeDone(error) ? lookFirst : undefined) => problemOf(error, url, advice),
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
  message.once('end', () => {
    if (!request.writableFinished) request.destroy()
  })
  const given = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const status = message.statusCode ?? 0
  if (![204, 205, 304].includes(status))
    return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, headers: given })
  message.resume() // Has no body; unread, it would keep the connection open, and with it the program.
  return new Response(null, { status, headers: given })
}

/** A list or a page in another format than JSON, to be read as it arrives. */
export async function openAs(
  api: Api,
  accept: 'text/csv' | 'text/html',
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<AsyncIterable<Uint8Array>> {
  const { headers, body } = await api.fetch('GET', path, {
    query,
    headers: { accept: `${accept}, application/json;q=0.1` },
  })
  if (body !== null && headers.get('content-type')?.startsWith(accept) === true) return body
  await body?.cancel()
  throw new Problem(exitCodes.unreachable, `The service is too old: it does not offer ${accept}.`)
}

function problemOf(error: unknown, url: string, advice: string | undefined): unknown {
  if (error instanceof RefusedError) return new RefusedRequest(error, { advice })
  if (error instanceof ConnectionError)
    return error.cause instanceof Problem ? error.cause : notReached(url, error.cause, advice)
  if (!(error instanceof UnexpectedAnswerError)) return error
  const { status, headers } = error
  const location = headers.get('location')
  return new Problem(
    exitCodes.unreachable,
    location === null
      ? `The server at ${url} is not the Parts Ordering Service (status ${status}).`
      : `${url} redirects to ${location} (status ${status}).`,
    advice ?? 'Set PARTS_URL or --url to the URL of the service.',
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

function notReached(url: string, error: unknown, advice: string | undefined): Problem {
  const check = 'Check that it is running and that PARTS_URL or --url is correct.'
  return new Problem(
    exitCodes.unreachable,
    `Cannot reach the service at ${url}: ${reasons[errorCode(error)] ?? errorMessage(error)}.`,
    advice === undefined ? check : `${check} ${advice}`,
    { cause: error },
  )
}
