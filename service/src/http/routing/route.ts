/**
 * A route as data: what it takes, what it answers, what it may refuse, and the function that does it.
 * `serve` turns it into a Fastify route; the reference is generated from the same data.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Actor, Operator, Permission, Scope } from '../../access/actor.ts'
import { dataEnvelope, failureResponses, pagedEnvelope } from '../envelope.ts'
import { readFields, type Fields, type FieldValues, type Sent } from '../../input/fields.ts'
import { parsePairs } from '../../input/parse-body.ts'
import { idempotencyKeySchema, readIdempotencyKey } from './idempotency-key.ts'
import { retryOf, type Retry } from '../../retries/retry.ts'
import { parseJson } from '../../input/parse-body.ts'
import type { Page } from '../../paging.ts'
import { Refusal, type RefusalCode, type RefusalError } from '../../refusals.ts'

export interface Route<
  A = unknown,
  P extends Fields = Fields,
  Q extends Fields = Fields,
  F extends Fields = Fields,
  D extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE'
  /** With a trailing slash and `{name}` for parameters, as the reference shows it; the form without the slash works too. */
  readonly path: string
  /** Names the operation in the reference and the method in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** What the key must allow; lookups need a key but no scope. */
  readonly scope?: Scope
  /** What the operator's role must allow. */
  readonly permission?: Permission
  readonly params?: P
  readonly query?: Q
  /** The fields of the body: a form from clients, a JSON object from operators. */
  readonly form?: F
  /** The body is a stream of rows with these fields, as CSV or NDJSON, instead of a form. */
  readonly rows?: Fields
  /** Adds something each time, unless the request says by an `Idempotency-Key` that it may be a repetition. */
  readonly takesIdempotencyKey?: boolean
  /** Changes only the fields that are sent, of which there must be one. */
  readonly partial?: boolean
  readonly data: D
  /** `data` is then the schema of one row, and `handle` returns a page of them. */
  readonly paged?: boolean
  /** Its answer may take longer than a silent connection is otherwise kept. */
  readonly slow?: boolean
  /** Beyond those that every route has. */
  readonly refusals: readonly RefusalCode[]
  readonly handle: (request: RouteRequest<A, P, Q, F>) => Promise<Static<D> | Page<Static<D>>>
}

export interface RouteRequest<A, P extends Fields, Q extends Fields, F extends Fields> {
  readonly actor: A
  readonly request_id: string
  readonly params: FieldValues<P>
  readonly query: FieldValues<Q>
  readonly form: FieldValues<F>
  readonly retry: Retry
  /** Calls back when whoever asks has hung up, or is answered. */
  readonly whenLeft: (left: () => void) => void
  /** Where the route takes rows. */
  readonly body?: RowsBody
}

/** A body that is read while it comes. */
export interface RowsBody {
  readonly stream: Readable
  readonly media: string
  /** Throws when the sender's key is not valid any more. */
  readonly confirm: () => Promise<void>
}

/** Keeps the types of a route's fields together while it is written down. */
export const route = <P extends Fields, Q extends Fields, F extends Fields, D extends TSchema>(
  made: Route<Actor, P, Q, F, D>,
): Route => made as unknown as Route

/** The same for the operators' side. */
export const operatorRoute = <P extends Fields, Q extends Fields, F extends Fields, D extends TSchema>(
  made: Route<Operator, P, Q, F, D> & { permission: Permission },
): Route => made as unknown as Route

declare module 'fastify' {
  interface FastifyRequest {
    actor: { readonly key_id: number; readonly client_id?: number; readonly operator_name?: string } | null
  }
  interface FastifyContextConfig {
    /** What a body must be; a form where nothing else is said. */
    body?: 'json' | 'rows'
  }
}

const noFields: Fields = {}
const nothingSent: Sent = new Map()

/** One of the two ways in: who comes by it, what that allows, and what bodies look like there. */
export interface Door<A> {
  /** Finds out who asks; throws a Refusal when nobody may. */
  readonly authenticate: (authorization: string | undefined) => A | Promise<A>
  /** Throws a Refusal when this one may not use the route. */
  readonly permit: (actor: A, route: Route) => void
  /** Throws a Refusal when this one asks too often. */
  readonly limit?: (actor: A, reply: FastifyReply) => void | Promise<void>
  readonly body: 'form' | 'json'
  readonly bodyBytesMax: number
}

type Someone = NonNullable<FastifyRequest['actor']>

export function serve<A extends Someone>(app: FastifyInstance, made: Route, door: Door<A>): void {
  const { params = noFields, query = noFields, form = noFields } = made
  const { authenticate } = door
  const readBody = (body: string, problems: RefusalError[]): Sent =>
    door.body === 'json' ? parseJson(body, form, problems) : parsePairs(body, problems)

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    // A body may come slowly: what counts is whether the key is still valid when it is complete.
    const actor = typeof request.body === 'string' ? await authenticate(request.headers.authorization) : request.actor
    assert(actor)
    door.permit(actor as A, made)
    const problems: RefusalError[] = []
    const read = {
      params: readFields(params, sentParams(request.params), problems),
      query: readFields(query, sentQuery(request.url, problems), problems),
      form: readFields(
        form,
        typeof request.body === 'string' ? readBody(request.body, problems) : nothingSent,
        problems,
      ),
    }
    const idempotencyKey = made.takesIdempotencyKey === true ? readIdempotencyKey(request.headers, problems) : undefined
    if (problems.length > 0) throw new Refusal(problems)
    if (made.partial === true && Object.keys(read.form).length === 0)
      throw new Refusal('nothing_to_change', { known: Object.keys(form) })
    if (made.slow === true) request.raw.socket.setTimeout(0) // Until the answer is sent: Node sets it anew for the next request.
    const started = performance.now()
    const body = request.body instanceof Readable ? rowsBody(request, request.body) : undefined
    // Whoever has hung up already does so no more.
    const whenLeft = (left: () => void): void => (reply.raw.destroyed ? left() : void reply.raw.once('close', left))
    const result = await made.handle({
      actor,
      request_id: request.id,
      whenLeft,
      ...read,
      retry: retryOf(idempotencyKey, [read.params, read.form]),
      ...(body ? { body } : {}),
    })
    // Whoever has waited long for something to read may have lost the key in the meantime.
    if (made.method === 'GET' && performance.now() - started > longWaitMs)
      door.permit(await authenticate(request.headers.authorization), made)
    return made.paged === true ? paged(request, reply, result as Page<unknown>) : { status: 'ok', data: result }
  }

  const rowsBody = (request: FastifyRequest, stream: Readable): RowsBody => ({
    stream,
    media: mediaOf(request.headers['content-type'] ?? ''),
    confirm: async () => void (await authenticate(request.headers.authorization)),
  })
  const body = made.rows === undefined ? door.body : 'rows'

  app.route({
    method: made.method,
    url: made.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: {
      tags: [made.tag],
      summary: made.summary,
      operationId: made.operationId,
      ...(made.description === undefined ? {} : { description: made.description }),
      ...(Object.keys(params).length > 0 ? { params: objectSchema(params) } : {}),
      ...(Object.keys(query).length > 0 ? { querystring: objectSchema(query) } : {}),
      ...(made.takesIdempotencyKey === true ? { headers: idempotencyKeySchema } : {}),
      ...(Object.keys(form).length > 0 ? { body: bodySchema(made, form), consumes: [...mediaTypes[door.body]] } : {}),
      ...(made.rows === undefined ? {} : { body: objectSchema(made.rows), consumes: [...mediaTypes.rows] }),
      response: {
        200: made.paged === true ? pagedEnvelope(made.data) : dataEnvelope(made.data),
        ...failureResponses(made),
      },
    },
    bodyLimit: body === 'rows' ? rowsBytesMax : door.bodyBytesMax,
    config: body === 'form' ? {} : { body },
    onRequest: (request, reply, done) => {
      admit(request, reply, door, done)
    },
    handler,
  })
}

const longWaitMs = 2_000

export const rowsBytesMax = 1024 ** 3 // Twenty million short rows.

/** What a body may be, by what the route takes. */
export const mediaTypes = {
  form: ['application/x-www-form-urlencoded'],
  json: ['application/json'],
  rows: ['application/x-ndjson', 'text/csv'],
} as const

export const mediaOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** A known key is admitted at once, without a promise. Nobody's body is read before that. */
function admit<A extends Someone>(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, limit }: Door<A>,
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

function sentParams(params: unknown): Sent {
  return new Map(Object.entries(params as Record<string, string>).map(([name, value]) => [name, [value]]))
}

function sentQuery(url: string, problems: RefusalError[]): Sent {
  const at = url.indexOf('?')
  return at === -1 ? nothingSent : parsePairs(url.slice(at + 1), problems)
}

function paged(request: FastifyRequest, reply: FastifyReply, { data, next_cursor }: Page<unknown>): object {
  if (next_cursor !== null) {
    const [path, search = ''] = request.url.split('?', 2)
    const next = new URLSearchParams(search)
    next.set('cursor', next_cursor)
    reply.header('link', `<${path}?${next.toString()}>; rel="next"`)
  }
  return { status: 'ok', data, paging: { next_cursor } }
}

function objectSchema(fields: Fields): object {
  const required = Object.keys(fields).filter((name) => fields[name]?.required)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
  }
}

const bodySchema = ({ partial }: Route, form: Fields): object => ({
  ...objectSchema(form),
  ...(partial === true ? { minProperties: 1 } : {}),
})
