/** Serves routes through Fastify: checks the key, reads the input strictly, calls the operation, shapes the answer. */
import assert from 'node:assert/strict'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFields, type Fields, type Sent } from '../../input/fields.ts'
import { parsePairs } from '../../input/parse-body.ts'
import type { RowsBody } from '../../input/rows-body.ts'
import type { Page } from '../../paging.ts'
import { Refusal, type RefusalCode, type RefusalError } from '../../refusals.ts'
import { noRetry, readIdempotencyKey, retryOf } from '../../retries/retry.ts'
import { describeRoute, refusalCodes } from './describe-route.ts'
import { dropRest, openRows, parseBody, readBodyText, type BodyFormat } from './read-body.ts'
import type { Route, RouteRequest } from './route.ts'

type Caller = NonNullable<FastifyRequest['actor']>

/** One side of the API, the clients' or the operators': who may use it, and how bodies are written there. */
export interface ApiSide<A extends Caller> {
  /** Returns the owner of the key; throws a Refusal when the key is not valid. */
  readonly authenticate: (authorization: string | undefined) => A | Promise<A>
  /** Throws a Refusal when the actor may not use the route. */
  readonly permit: (actor: A, route: Route) => void
  /** Throws a Refusal when the actor is over its rate limit. */
  readonly limit?: (actor: A, reply: FastifyReply) => void | Promise<void>
  readonly body: Exclude<BodyFormat, 'rows'>
  /** For tests: a refusal that its route does not declare becomes a 500. Otherwise it is only logged as an error. */
  readonly failOnUndeclaredRefusal?: boolean
}

const longWaitMs = 2_000
const nothingSent: Sent = new Map()

export function serveRoutes<A extends Caller>(app: FastifyInstance, routes: readonly Route[], side: ApiSide<A>): void {
  for (const route of routes) serve(app, route, side)
}

type ApiRequest = FastifyRequest<{ Params: Record<string, string> }>
type Input = Pick<RouteRequest<unknown, Fields, Fields, Fields>, 'params' | 'query' | 'form' | 'retry'>

function serve<A extends Caller>(app: FastifyInstance, route: Route, side: ApiSide<A>): void {
  const format = route.rows === undefined ? side.body : 'rows'
  const declared = new Set(refusalCodes(route))

  async function handler(request: ApiRequest, reply: FastifyReply): Promise<unknown> {
    const { actor, text, rows } = await receive(request)
    side.permit(actor, route)
    const input = readInput(route, request, text === undefined ? undefined : { text, format })
    if (route.slow === true) request.raw.socket.setTimeout(0) // Until the answer is sent; Node then sets it again.
    const started = performance.now()
    const result = await handle(request, {
      ...input,
      actor,
      request_id: request.id,
      whenLeft: (left) => (reply.raw.destroyed ? left() : void reply.raw.once('close', left)),
      ...(rows === undefined ? {} : { body: rows }),
    })
    // The key may have been revoked during a long poll.
    if (route.method === 'GET' && performance.now() - started > longWaitMs)
      side.permit(await side.authenticate(request.headers.authorization), route)
    return route.paged === true ? pagedAnswer(request, reply, result) : { status: 'ok', data: result }
  }

  /**
   * The body, and the actor whose key is valid now. `admit` has checked the key before anything was read; a body may
   * arrive slowly, so the key is checked again when the body is complete. A stream of rows is confirmed by its reader,
   * at its end.
   */
  async function receive(request: ApiRequest): Promise<{ actor: A; text?: string | undefined; rows?: RowsBody }> {
    const authenticate = async (): Promise<A> => side.authenticate(request.headers.authorization)
    assert(request.actor)
    const admitted = request.actor as A // Fastify has one request type for both sides; `admit` has set the actor.
    if (format === 'rows') return { actor: admitted, rows: openRows(request, async () => void (await authenticate())) }
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
    onRequest: (request, reply, done) => admit(request, reply, side, done),
    handler: format === 'rows' ? droppingRest(handler) : handler,
  })
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
    return limit?.(actor, reply)
  }
  try {
    const actor = authenticate(request.headers.authorization)
    const entered = actor instanceof Promise ? actor.then(enter) : enter(actor)
    if (entered instanceof Promise) entered.then(() => done(), done)
    else done()
  } catch (error) {
    done(error as Error)
  }
}

/** Reads path, query, body and idempotency key. All problems are reported at once. */
function readInput(route: Route, request: ApiRequest, body?: { text: string; format: BodyFormat }): Input {
  const { params = {}, query = {}, form = {} } = route
  const problems: RefusalError[] = []
  const values = {
    params: readFields(params, sentParams(request.params), problems),
    query: readFields(query, sentQuery(request.url, problems), problems),
    form: readFields(
      form,
      body === undefined ? nothingSent : parseBody(body.text, body.format, form, problems),
      problems,
    ),
  }
  const key = route.takesIdempotencyKey === true ? readIdempotencyKey(request.headers, problems) : undefined
  if (problems.length > 0) throw new Refusal(problems)
  if (route.partial === true && Object.keys(values.form).length === 0)
    throw new Refusal('nothing_to_change', { known: Object.keys(form) })
  return { ...values, retry: key === undefined ? noRetry : retryOf(key, [values.params, values.form]) }
}

const sentParams = (params: Record<string, string>): Sent =>
  new Map(Object.entries(params).map(([name, value]) => [name, [value]]))

function sentQuery(url: string, problems: RefusalError[]): Sent {
  const at = url.indexOf('?')
  return at === -1 ? nothingSent : parsePairs(url.slice(at + 1), problems)
}

function pagedAnswer(request: FastifyRequest, reply: FastifyReply, result: unknown): object {
  assert(isPage(result))
  const { data, next_cursor } = result
  if (next_cursor !== null) {
    const [path, search = ''] = request.url.split('?', 2)
    const next = new URLSearchParams(search)
    next.set('cursor', next_cursor)
    reply.header('link', `<${path}?${next.toString()}>; rel="next"`)
  }
  return { status: 'ok', data, paging: { next_cursor } }
}

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'data' in result && 'next_cursor' in result

const fastifyPath = ({ path }: Pick<Route, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Each path answers its other methods with 405 and `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const byPath = Object.groupBy(routes, ({ path }) => path)
  for (const [path, at = []] of Object.entries(byPath)) {
    const methods: string[] = at.map(({ method }) => method)
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.route({
      method: allMethods.filter((method) => !allowed.includes(method)),
      url: fastifyPath({ path }),
      schema: { hide: true },
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        reply.header('allow', allowed.join(', '))
        throw new Refusal('method_not_allowed', { method: request.method, allowed })
      },
      handler: async () => undefined,
    })
  }
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
