/** Serves routes through Fastify: checks the key, reads the input strictly, calls the operation, shapes the answer. */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import type { Fields, Sent } from '../../input/fields.ts'
import { parsePairs } from '../../input/parse-body.ts'
import { printPolicy } from '../../input/print-html.ts'
import { readInput } from '../../input/read-input.ts'
import type { RowsBody } from '../../input/rows-body.ts'
import { readTable, type SentTable } from '../../input/table-body.ts'
import { pageOf, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import { Refusal, type RefusalCode, type RefusalError } from '../../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import { noRetry, readIdempotencyKey, retryOf } from '../../retries/retry.ts'
import { cacheFor } from './cache.ts'
import { announceDeprecation } from './deprecation.ts'
import { columnsOf, csvFileName, prefers, readPrinted, streamCsv } from './csv-list.ts'
import { csvFormOf, withoutCsvFields } from '../../input/csv-fields.ts'
import { describeRoute, formatOf, refusalCodes } from './describe-route.ts'
import {
  dropRest,
  openRows,
  parseBody,
  readBodyText,
  readTableBody,
  type BodyFormat,
  type SentText,
} from './read-body.ts'
import type { Route, RouteRequest } from './route.ts'
import { addVary } from '../vary.ts'
import { tokensOfAnswer, tokensOfRows, type RateLimit } from '../limits/rate-limit.ts'

type Caller = NonNullable<FastifyRequest['actor']>

/** One side of the API, the clients' or the operators': who may use it, and how bodies are written there. */
export interface ApiSide<A extends Caller> {
  readonly db: Database
  /** Names whose share of the database the actor's requests use. */
  readonly shareOf: (actor: A) => string
  /** Returns the owner of the key; throws a Refusal when the key is not valid. */
  readonly authenticate: (request: FastifyRequest) => A | Promise<A>
  /** Throws a Refusal when the actor may not use the route. */
  readonly permit: (actor: A, route: Route) => void
  /** Without it, the rate of requests is not limited. */
  readonly limit?: RateLimit<A>
  readonly body: Exclude<BodyFormat, 'rows' | 'table'>
  /** For tests: a refusal that its route does not declare becomes a 500. Otherwise it is only logged as an error. */
  readonly failOnUndeclaredRefusal?: boolean
}

const longWaitMs = 2_000
const nothingSent: Sent = new Map()

export function serveRoutes<A extends Caller>(app: FastifyInstance, routes: readonly Route[], side: ApiSide<A>): void {
  for (const route of routes) serve(app, route, side)
}

type ApiRequest = FastifyRequest<{ Params: Record<string, string> }>
type Input = Pick<
  RouteRequest<unknown, Fields, Fields, Fields>,
  'params' | 'query' | 'form' | 'table' | 'page' | 'retry'
>

function serve<A extends Caller>(app: FastifyInstance, route: Route, side: ApiSide<A>): void {
  const format = formatOf(route, side.body)
  const declared = new Set(refusalCodes(route))
  const waits = route.slow === true || route.rows !== undefined || 'wait' in (route.query ?? {})

  async function handler(request: ApiRequest, reply: FastifyReply): Promise<unknown> {
    const { actor, text, table, rows } = await receive(request)
    side.permit(actor, route)
    const input = inputOf(route, request, actor, table ?? text)
    const tokens = tokensOfRows(input.table?.rows.length ?? 0)
    if (tokens > 0) await side.limit?.charge(actor, reply, tokens)
    if (route.slow === true) request.raw.socket.setTimeout(0) // Until the answer is sent; Node then sets it again.
    if (((input.query as { wait?: number }).wait ?? 0) > 0) request.isLongPoll = true
    const callFor = (page: PageRequest): Parameters<Route['handle']>[0] => ({
      ...input,
      ...(route.csv === true ? { query: withoutCsvFields(input.query) } : {}),
      page,
      db: side.db.for({
        share: side.shareOf(actor),
        deadline: waits ? Infinity : performance.now() + side.db.statementTimeoutMs,
        isGone: () => request.raw.socket.destroyed,
        onStatement: request.trace?.onStatement,
      }),
      actor,
      request_id: request.id,
      browser: { host: request.headers.host, setCookie: (cookie) => void reply.header('set-cookie', cookie) },
      whenLeft: (left) => (reply.raw.destroyed ? left() : void reply.raw.once('close', left)),
      ...(rows === undefined ? {} : { body: rows }),
    })
    if (route.csv === true || route.page !== undefined) addVary(reply, 'Accept')
    if (route.page !== undefined && prefers('text/html', request.headers.accept)) {
      const printed = await readPrinted(input.page, route.paged === true, (page) => handle(request, callFor(page)))
      reply.type('text/html; charset=utf-8').header('content-security-policy', printPolicy)
      return route.page({ ...printed, params: input.params })
    }
    if (route.csv === true && request.method === 'GET' && prefers('text/csv', request.headers.accept))
      return sendCsv(request, reply, input, (page) => handle(request, callFor(page)))
    const started = performance.now()
    const result = await handle(request, callFor(input.page))
    // The key may have been revoked during a long poll.
    if (route.method === 'GET' && performance.now() - started > longWaitMs)
      side.permit(await side.authenticate(request), route)
    return route.paged === true ? pagedAnswer(request, reply, input.query, result) : { status: 'ok', data: result }
  }

  /** The key is checked again before each page, because sending a long list may take minutes. */
  async function sendCsv(
    request: ApiRequest,
    reply: FastifyReply,
    { page, query }: Input,
    read: (page: PageRequest) => Promise<unknown>,
  ): Promise<Readable> {
    const stream = await streamCsv({
      columns: columnsOf(route, (name) => app.getSchema(name) as TSchema),
      form: csvFormOf(query),
      page,
      limited: query['limit'] !== undefined,
      read: async (next) => {
        if (next.after !== page.after) side.permit(await side.authenticate(request), route)
        return read(next)
      },
    })
    reply.type('text/csv; charset=utf-8; header=present')
    reply.header('content-disposition', `attachment; filename="${csvFileName(route)}"`)
    return stream
  }

  /**
   * The body, and the actor whose key is valid now. `admit` has checked the key before anything was read; a body may
   * arrive slowly, so the key is checked again when the body is complete. A stream of rows is confirmed by its reader,
   * at its end.
   */
  async function receive(request: ApiRequest): Promise<Received<A>> {
    const authenticate = async (): Promise<A> => side.authenticate(request)
    assert(request.actor)
    const admitted = request.actor as A // Fastify has one request type for both sides; `admit` has set the actor.
    if (format === 'rows') return { actor: admitted, rows: openRows(request, async () => void (await authenticate())) }
    if (format === 'table') {
      const table = await readTableBody(request)
      return { actor: await authenticate(), table }
    }
    const text = await readBodyText(request, format)
    return { actor: text === undefined ? admitted : await authenticate(), text }
  }

  async function handle(request: ApiRequest, input: Parameters<Route['handle']>[0]): Promise<unknown> {
    try {
      return await route.handle(input)
    } catch (error) {
      const code = error instanceof Refusal ? undeclaredCode(error) : undefined
      if (code === undefined) throw error
      const message = `${route.operationId} does not declare the refusal ${code}`
      request.log.error({ err: error }, message)
      throw side.failOnUndeclaredRefusal === true ? new Error(message, { cause: error }) : error
    }
  }

  /** A refused import lists the errors of its rows after the first error. */
  function undeclaredCode({ errors }: Refusal): RefusalCode | undefined {
    const own = route.rows === undefined ? errors : errors.slice(0, 1)
    return own.find(({ code }) => !declared.has(code))?.code
  }

  app.route<{ Params: Record<string, string> }>({
    method: route.method,
    url: fastifyPath(route),
    schema: describeRoute(route, format),
    ...(route.plain === true ? { serializerCompiler: () => (answer: unknown) => JSON.stringify(answer) } : {}),
    onRequest: [
      ...(route.deprecated === undefined ? [] : [announceDeprecation(route.deprecated)]),
      (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) =>
        admit(request, reply, side, done),
    ],
    onSend: [
      ...(route.cacheSeconds === undefined ? [] : [cacheFor(route.cacheSeconds)]),
      ...(side.limit === undefined ? [] : [chargeAnswer(side.limit)]),
    ],
    handler: format === 'rows' ? droppingRest(handler) : handler,
  })
}

interface Received<A> {
  readonly actor: A
  readonly text?: SentText | undefined
  readonly table?: SentTable | undefined
  readonly rows?: RowsBody
}

type Handler = (request: ApiRequest, reply: FastifyReply) => Promise<unknown>

/** When the handler fails, reads and drops what is left of the body. */
const droppingRest =
  (handler: Handler): Handler =>
  async (request, reply) => {
    try {
      return await handler(request, reply)
    } catch (error) {
      dropRest(request.raw)
      throw error
    }
  }

/** Checks the key and its rate limit before the body is read. Uses no promise for a cached key: it would cost a turn. */
function admit<A extends Caller>(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, limit }: ApiSide<A>,
  done: (error?: Error) => void,
): void {
  const enter = (actor: A): void | Promise<void> => {
    request.actor = actor
    return limit?.admit(actor, reply)
  }
  try {
    const actor = authenticate(request)
    const entered = actor instanceof Promise ? actor.then(enter) : enter(actor)
    if (entered instanceof Promise) entered.then(() => done(), done)
    else done()
  } catch (error) {
    done(error as Error)
  }
}

/** Charges the key for a long answer, before its headers are sent: they report what is left. */
const chargeAnswer =
  <A extends Caller>({ charge }: RateLimit<A>): onSendHookHandler =>
  (request, reply, payload, done) => {
    const tokens = typeof payload === 'string' && request.actor !== null ? tokensOfAnswer(payload.length) : 0
    const charged = tokens === 0 ? undefined : charge(request.actor as A, reply, tokens)
    if (charged instanceof Promise) charged.then(() => done(null, payload), done)
    else done(null, payload)
  }

/** Reads path, query, body and idempotency key. All problems are reported at once. */
function inputOf(route: Route, request: ApiRequest, { client_id }: Caller, body?: SentText | SentTable): Input {
  const { path, params = {}, query = {}, form = {} } = route
  const problems: RefusalError[] = []
  const sent = {
    path: sentParams(request.params),
    query: sentQuery(request.url, Object.keys(query).length === 0 ? [] : problems), // Without parameters, all is ignored.
    body: body !== undefined && 'text' in body ? parseBody(body, form, problems) : nothingSent,
  }
  const values = readInput({ accepted: { path: params, query, body: form }, sent }, problems)
  const limitDefault = query['limit']?.schema['default']
  const page = pageOf({ path, client_id, params: values.params, query: values.query, limitDefault }, problems)
  const sentTable = body !== undefined && 'bytes' in body ? body : undefined
  const table = route.table === undefined ? undefined : readTable(sentTable, route.table, problems)
  const key = route.takesIdempotencyKey === true ? readIdempotencyKey(request.headers, problems) : undefined
  if (problems.length > 0) throw new Refusal(problems)
  const changing = (fields: object): string[] =>
    Object.keys(fields).filter((name) => !/^(expected|confirmed)$/.test(name))
  if (route.partial === true && changing(values.form).length === 0)
    throw new Refusal('nothing_to_change', { known: changing(form) })
  const requested = table === undefined ? [values.params, values.form] : [values.params, values.query, table.rows]
  return {
    ...values,
    page,
    ...(table === undefined ? {} : { table }),
    retry: key === undefined ? noRetry : retryOf(key, requested),
  }
}

const sentParams = (params: Record<string, string>): Sent =>
  new Map(Object.entries(params).map(([name, value]) => [name, [value]]))

function sentQuery(url: string, problems: RefusalError[]): Sent {
  const at = url.indexOf('?')
  return at === -1 ? nothingSent : parsePairs(url.slice(at + 1), problems)
}

/** A client that knows no pages sees none: `paging` is there when the request named a page, or when there is a next one. */
function pagedAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, cursor }: Input['query'],
  result: unknown,
): object {
  assert(isPage(result))
  const { data, next_cursor } = result
  if (next_cursor !== null) {
    const [path, search = ''] = request.url.split('?', 2)
    const next = new URLSearchParams(search)
    next.set('cursor', next_cursor)
    const others = reply.getHeader('link') // Of a deprecated route.
    const link = `<${path}?${next.toString()}>; rel="next"`
    reply.header('link', others === undefined ? link : `${link}, ${String(others)}`)
  }
  const isPaged = next_cursor !== null || (limit ?? cursor) !== undefined
  return isPaged ? { status: 'ok', data, paging: { next_cursor } } : { status: 'ok', data }
}

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'data' in result && 'next_cursor' in result

const fastifyPath = ({ path }: Pick<Route, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1')
