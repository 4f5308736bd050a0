/**
 * The way of a request: accept, admit, read, run, answer.
 *
 * - accept: `listening/accept.ts` takes the connection, checks the head, and refuses early under overload;
 * - admit: the key, and its rate limit, before the body is read;
 * - read: `read-request.ts`: the body, then all fields;
 * - run: the route's operation, on the share of the database that its caller has;
 * - answer: `answer.ts`: JSON, CSV or a page to print.
 */
import assert from 'node:assert/strict'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import { withoutCsvFields } from '../../input/csv-fields.ts'
import type { PageRequest } from '../../vocabulary/paging.ts'
import { Refusal, type RefusalCode } from '../../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import { answerFor } from './answer.ts'
import { cacheFor } from './cache.ts'
import { announceDeprecation } from './deprecation.ts'
import { describeRoute, formatOf, refusalCodes } from './describe-route.ts'
import { dropRest, inputOf, receiveBody, type BodyFormat, type Input, type SentBody } from './read-request.ts'
import type { Route } from './route.ts'
import { configurationTokens, tokensOfRows, type RateLimit } from '../limits/rate-limit.ts'
import { routerPath } from '../limits/shedding.ts'

type Caller = NonNullable<FastifyRequest['actor']>

/** One side of the API, the clients' or the operators': who may use it, and how bodies are written there. */
export interface ApiSide<A extends Caller> {
  readonly db: Database
  /** Names whose share of the database the actor's requests use. */
  readonly shareOf: (actor: A) => string
  /** Returns the owner of the key; throws a Refusal when the key is not valid. */
  readonly authenticate: (request: FastifyRequest) => A | Promise<A>
  /** Applies what was changed of keys and sessions to the requests that follow. */
  readonly recheckKeys?: () => Promise<void>
  /** Throws a Refusal when the actor may not use the route. */
  readonly permit: (actor: A, route: Route, request_id: string) => void
  /** Without it, the rate of requests is not limited. */
  readonly limit?: RateLimit<A>
  readonly body: Exclude<BodyFormat, 'rows' | 'table'>
  /** Called before a list is sent as CSV; when it throws, the list is not sent. */
  readonly recordExport?: (actor: A, exported: ExportedList) => Promise<void>
  /** For tests: a refusal that its route does not declare becomes a 500. Otherwise it is only logged as an error. */
  readonly failOnUndeclaredRefusal?: boolean
}

export interface ExportedList {
  readonly operation_id: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** The names of its filters: their values may be names of persons. */
  readonly filters: readonly string[]
  readonly request_id: string
}

type ApiRequest = FastifyRequest<{ Params: Record<string, string> }>
type Handler = (request: ApiRequest, reply: FastifyReply) => Promise<unknown>

export function serveRoutes<A extends Caller>(app: FastifyInstance, routes: readonly Route[], side: ApiSide<A>): void {
  for (const route of routes) serve(app, route, side)
}

function serve<A extends Caller>(app: FastifyInstance, route: Route, side: ApiSide<A>): void {
  const format = formatOf(route, side.body)
  const run = runnerOf(route, side)
  const answer = answerFor(route, (name) => app.getSchema(name) as TSchema)

  const handler: Handler = async (request, reply) => {
    const body = await receiveBody(request, format, async () => void (await side.authenticate(request)))
    const actor = await stillAdmitted(side, request, body)
    side.permit(actor, route, request.id)
    const input = inputOf(route, request, actor.client_id, body)
    const tokens = (route.configures === true ? configurationTokens : 0) + tokensOfRows(input.table?.rows.length ?? 0)
    if (tokens > 0) await side.limit?.charge(actor, reply, tokens)
    return answer(request, reply, {
      input,
      run: run(request, reply, actor, input),
      confirm: async () => side.permit(await side.authenticate(request), route, request.id),
      exported: async () =>
        side.recordExport?.(actor, {
          operation_id: route.operationId,
          params: input.params,
          filters: Object.keys(withoutCsvFields(input.query)),
          request_id: request.id,
        }),
    })
  }

  app.route<{ Params: Record<string, string> }>({
    method: route.method,
    url: routerPath(route.path),
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

/**
 * The actor whose key is valid now. A body may arrive slowly, so the key is checked again when it is complete; a stream
 * of rows is confirmed by its reader, at its end.
 */
function stillAdmitted<A extends Caller>(
  { authenticate }: ApiSide<A>,
  request: FastifyRequest,
  body: SentBody | undefined,
): A | Promise<A> {
  assert(request.actor)
  const admitted = request.actor as A // Fastify has one request type for both sides; `admit` has set the actor.
  return body === undefined || 'stream' in body ? admitted : authenticate(request)
}

/** Runs the route's operation for one request, and for each page of its list that the answer needs. */
function runnerOf<A extends Caller>(route: Route, { db, shareOf, recheckKeys, failOnUndeclaredRefusal }: ApiSide<A>) {
  const declared = new Set(refusalCodes(route))
  const waits = route.slow === true || route.rows !== undefined || 'wait' in (route.query ?? {})

  return (request: ApiRequest, reply: FastifyReply, actor: A, input: Input) => {
    if (route.slow === true) request.raw.socket.setTimeout(0) // Until the answer is sent; Node then sets it again.
    if (((input.query as { wait?: number }).wait ?? 0) > 0) request.isLongPoll = true
    const given = {
      ...input,
      ...(route.csv === true ? { query: withoutCsvFields(input.query) } : {}),
      actor,
      request_id: request.id,
      browser: {
        host: request.headers.host,
        setCookie: (cookie: string) => void reply.header('set-cookie', cookie),
      },
      whenLeft: (left: () => void) => (reply.raw.destroyed ? left() : void reply.raw.once('close', left)),
    }
    return async (page: PageRequest, operation?: Route['handle']): Promise<unknown> => {
      const caller = {
        share: shareOf(actor),
        deadline: waits ? Infinity : performance.now() + db.statementTimeoutMs,
        isGone: () => request.raw.socket.destroyed,
        onStatement: request.trace?.onStatement,
      }
      try {
        const result = await (operation ?? ((asked) => route.handle(asked)))({
          ...given,
          page,
          db: db.for(caller),
        })
        if (route.changesKeys === true) await recheckKeys?.()
        return result
      } catch (error) {
        const code = error instanceof Refusal ? undeclaredCode(error) : undefined
        if (code === undefined) throw error
        const message = `${route.operationId} does not declare the refusal ${code}`
        request.log.error({ err: error }, message)
        throw failOnUndeclaredRefusal === true ? new Error(message, { cause: error }) : error
      }
    }
  }

  /** A refused import lists the errors of its rows after the first error. */
  function undeclaredCode({ errors }: Refusal): RefusalCode | undefined {
    const own = route.rows === undefined ? errors : errors.slice(0, 1)
    return own.find(({ code }) => !declared.has(code))?.code
  }
}

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

/** Charges the key for a long answer, before its headers are sent: they report what is left. */
const chargeAnswer =
  <A extends Caller>({ charge, bytesPerToken }: RateLimit<A>): onSendHookHandler =>
  (request, reply, payload, done) => {
    const tokens =
      typeof payload === 'string' && request.actor !== null ? Math.floor(payload.length / bytesPerToken) : 0
    const charged = tokens === 0 ? undefined : charge(request.actor as A, reply, tokens)
    if (charged instanceof Promise) charged.then(() => done(null, payload), done)
    else done(null, payload)
  }
