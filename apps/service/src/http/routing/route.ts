/**
 * A route as data: what it accepts, what it returns, what it may refuse, and the function that does it.
 * `serveRoutes` turns it into a Fastify route; the reference is generated from the same data.
 */
import type { Static, TSchema } from 'typebox'
import type { Actor, Operator, Permission, Scoped } from '../../identity/actor.ts'
import { csvFields } from '../../input/csv-fields.ts'
import type { Fields, FieldValues } from '../../input/fields.ts'
import type { RowsBody } from '../../input/rows-body.ts'
import type { Table, TableShape } from '../../input/table-body.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Page, PageRequest } from '../../vocabulary/paging.ts'
import type { RefusalCode } from '../../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Urgency } from '../limits/shedding.ts'
import type { Deprecation } from './deprecation.ts'

export type Trace = `${'event' | 'audit' | 'catalogue'} ${string}` | `none: ${string}`

export interface Route<
  A = unknown,
  P extends Fields = Fields,
  Q extends Fields = Fields,
  F extends Fields = Fields,
  D extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE'
  /** With a trailing slash and `{name}` for parameters, as in the reference; the form without the slash works too. */
  readonly path: string
  /** Names the operation in the reference and the method in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** The route will be removed: its responses and the reference say so. */
  readonly deprecated?: Deprecation
  /** The scope or the scopes that the key needs; lookups need a key but no scope. */
  readonly scope?: Scoped['scope']
  readonly permission?: Permission
  /**
   * What a change of an operator leaves, with who, when and the request: `event order.shipped`, `audit cart_renamed`,
   * `catalogue price`, or `none: ` and why there is nothing to leave. Every operator route that is not a GET has it.
   */
  readonly trace?: Trace
  /** When load shedding refuses the route. By default lists (a GET whose path ends in no id) are refused first, all other routes second. */
  readonly urgency?: Urgency | 'never refused'
  readonly params?: P
  readonly query?: Q
  /** The fields of the body: a form from clients, a JSON object from operators. */
  readonly form?: F
  /** The body is a stream of rows with these fields, as CSV or NDJSON, instead of a form. */
  readonly rows?: Fields
  /** The body is a table of a few rows, as CSV or JSON, instead of a form. */
  readonly table?: TableShape
  /** Keys or sessions end or change: this process applies it before it answers, the others within 5 seconds. */
  readonly changesKeys?: boolean
  /** Changes what is configured: a request counts as ten, since each stores an entry that is kept for long. */
  readonly configures?: boolean
  /** The operation adds something each time; with an `Idempotency-Key` it can be retried safely. */
  readonly takesIdempotencyKey?: boolean
  /** Changes only the fields that are sent, and needs at least one of them. `expected` and `confirmed` are none. */
  readonly partial?: boolean
  readonly data: D
  /**
   * The answer is serialised as it is, not by the schema. For long answers that an operation builds with exactly the
   * fields of the schema, in its order: it takes two thirds of the time.
   */
  readonly plain?: boolean
  /** `data` is then the schema of one row, and `handle` returns a page of them. */
  readonly paged?: boolean
  /** The list is offered as CSV too: every list of operators is. */
  readonly csv?: boolean
  /** How the list is offered as CSV, where that differs from its rows in JSON. */
  readonly file?: FileForm<NoInfer<A>, NoInfer<P>, NoInfer<Q>, NoInfer<F>>
  /** With `Accept: text/html`, this page is the answer. `result` is `data`; of a list, its first rows (`printedRowsMax`). */
  readonly page?: (printed: PrintedResult) => string
  /** For lookups: how long clients may use the response again. It then has an `ETag` too, and may be a 304. */
  readonly cacheSeconds?: number
  /** The answer may take longer than the timeout of a silent connection. */
  readonly slow?: boolean
  /** All codes that `handle` may throw, except those that every route has. Any other fails the tests. */
  readonly refusals: readonly RefusalCode[]
  /** The codes that rows of a successful answer may have, for the reference. */
  readonly rowCodes?: readonly RefusalCode[]
  /** A method, not a property, so that one list can hold routes with different fields (parameters are bivariant). */
  handle(request: RouteRequest<A, P, Q, F>): Promise<Static<D> | Page<Static<D>>>
}

export interface FileForm<A, P extends Fields, Q extends Fields, F extends Fields> {
  readonly row: TSchema
  /** A row of the file from one of the list. */
  rowOf(row: unknown): object
  /** Names what the file shows now: it becomes the `ETag`, and a caller that has it gets a 304 and no list is read. */
  version(request: RouteRequest<A, P, Q, F>): Promise<string>
}

export interface PrintedResult {
  readonly result: unknown
  readonly params: Readonly<Record<string, unknown>>
  /** Of a list: whether there are more rows. */
  readonly more: boolean
}

export interface RouteRequest<A, P extends Fields, Q extends Fields, F extends Fields> {
  /** Sends statements on behalf of this request: within its time, as part of its client's share. */
  readonly db: Database
  readonly actor: A
  readonly request_id: string
  readonly params: FieldValues<P>
  readonly query: FieldValues<Q>
  readonly form: FieldValues<F>
  /** The part of the list to return, where the query takes `pageFields`. */
  readonly page: PageRequest
  readonly retry: Retry
  /** Calls back when the client disconnects or the answer is sent. */
  readonly whenLeft: (left: () => void) => void
  readonly browser: Browser
  /** Present where the route takes rows. */
  readonly body?: RowsBody
  /** Present where the route takes a table. */
  readonly table?: Table
}

/** What only signing in and out needs. */
export interface Browser {
  readonly host: string | undefined
  readonly setCookie: (cookie: string) => void
}

/** A route for clients. Infers the types of its fields. */
export const route = <P extends Fields, Q extends Fields, F extends Fields, D extends TSchema>(
  made: Route<Actor, P, Q, F, D>,
): Route => made

/** A route for operators. Every list of theirs is offered as CSV too. */
export const operatorRoute = <P extends Fields, Q extends Fields, F extends Fields, D extends TSchema>(
  made: Route<Operator, P, Q, F, D> & { permission: Permission },
): Route => (isList(made) ? { ...made, csv: true, query: { ...made.query, ...csvFields } } : made)

const isList = ({ method, paged, data }: Pick<Route, 'method' | 'paged' | 'data'>): boolean =>
  method === 'GET' && (paged === true || (data as { type?: string }).type === 'array')

/** A feature as the application serves it. `Parts` is what its routes need of the running service. */
export interface Feature<Parts = unknown> {
  /** The objects that its answers refer to by name. */
  readonly schemas: readonly TSchema[]
  readonly clientRoutes?: (parts: Parts) => readonly Route[]
  readonly operatorRoutes?: (parts: Parts) => readonly Route[]
}
